"""Every reason to say no has its words."""

from __future__ import annotations

import re

import pytest

from campaigns.files.views import BAD_FILES as BAD_CAMPAIGN_FILES
from campaigns.refusals import REFUSALS as CAMPAIGN_REFUSALS
from gangs.files.views import BAD_FILES
from gangs.text.refusals import MISFITS, REFUSALS
from rules.variants.refusals import BAD_VARIANTS
from rules.variants.refusals import REFUSALS as VARIANT_REFUSALS
from tests.test_house import SOURCES

SAID = {
    "Refusal": {**REFUSALS, **CAMPAIGN_REFUSALS},
    "Misfit": MISFITS,
    "BadFile": {**BAD_FILES, **BAD_CAMPAIGN_FILES},
    "BadVariant": BAD_VARIANTS,
    "Refused": VARIANT_REFUSALS,
}


@pytest.mark.parametrize("name", SAID)
def test_every_code_has_a_sentence_and_every_sentence_a_code(name: str) -> None:
    # An entry's class says by a code, too, why it stays.
    way = {"Refusal": r"(?:\bRefusal\(\s*|\bstays=)"}.get(name, rf"\b{name}\(\s*")
    code = re.compile(rf'{way}"(\w+)"')
    used = {match for path in SOURCES for match in code.findall(path.read_text("utf-8"))}
    assert used and used == set(SAID[name])
