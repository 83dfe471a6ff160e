"""Every reason to say no has its words."""

from __future__ import annotations

import re

import pytest

from campaigns.views.files import BAD_FILES as BAD_CAMPAIGN_FILES
from campaigns.wording import REFUSALS as CAMPAIGN_REFUSALS
from gangs.views.files import BAD_FILES
from gangs.wording import MISFITS, REFUSALS
from rules.variants.words import BAD_VARIANTS
from tests.test_house import SOURCES

SAID = {
    "Refusal": {**REFUSALS, **CAMPAIGN_REFUSALS},
    "Misfit": MISFITS,
    "BadFile": {**BAD_FILES, **BAD_CAMPAIGN_FILES},
    "BadVariant": BAD_VARIANTS,
}


@pytest.mark.parametrize("name", SAID)
def test_every_code_has_a_sentence_and_every_sentence_a_code(name: str) -> None:
    code = re.compile(rf'\b{name}\(\s*"(\w+)"')
    used = {match for path in SOURCES for match in code.findall(path.read_text("utf-8"))}
    assert used and used == set(SAID[name])
