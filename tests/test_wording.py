"""Every reason to say no has its words."""

from __future__ import annotations

import re

import pytest

from campaigns.files.views import BAD_FILES as BAD_CAMPAIGN_FILES
from campaigns.refusals import REFUSALS as CAMPAIGN_REFUSALS
from common.measuring import BadData
from gangs.files.format import refusing
from gangs.files.views import BAD_FILES
from gangs.text.refusals import MISFITS, REFUSALS
from rules.variants.refusals import BAD_VARIANTS
from rules.variants.refusals import REFUSALS as VARIANT_REFUSALS
from tests.test_house import ROOT, SOURCES

SAID = {
    "Refusal": {**REFUSALS, **CAMPAIGN_REFUSALS},
    "Misfit": MISFITS,
    "BadFile": {**BAD_FILES, **BAD_CAMPAIGN_FILES},
    "BadVariant": BAD_VARIANTS,
    "Refused": VARIANT_REFUSALS,
}
# What measuring a text finds (``common.measuring.BadData``) is told by the files' own refusals.
BAD_DATA = {
    *("too_big", "not_text", "not_json", "too_deep", "too_many", "bad_number", "bad_text"),
}
MEASURED = {
    "BadFile": {refusing(BadData(code)).code for code in BAD_DATA},
    "BadVariant": BAD_DATA,
}


def test_all_that_measuring_finds_is_known() -> None:
    raised = re.findall(r'BadData\("(\w+)"', (ROOT / "common/measuring.py").read_text("utf-8"))
    assert set(raised) == BAD_DATA


@pytest.mark.parametrize("name", SAID)
def test_every_code_has_a_sentence_and_every_sentence_a_code(name: str) -> None:
    # An entry's class says by a code, too, why it stays.
    way = {"Refusal": r"(?:\bRefusal\(\s*|\bstays=)"}.get(name, rf"\b{name}\(\s*")
    code = re.compile(rf'{way}"(\w+)"')
    used = {match for path in SOURCES for match in code.findall(path.read_text("utf-8"))}
    used |= MEASURED.get(name, set())
    assert used and used == set(SAID[name])
