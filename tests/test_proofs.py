"""``script/prove`` is a complete list of the long proofs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Tests that look at more cases when PROOFS is set.
MORE = re.compile(r"\b(?:cases|random_cases|in_pairs|two)\(|\bif MANY\b")
MODULES = [
    path
    for path in sorted((ROOT / "tests").rglob("test_*.py"))
    if "from tests.random_cases import" in (text := path.read_text("utf-8")) and MORE.search(text)
]
# script/prove runs the tests among them that are marked so, in the tests or in a browser.
PROVED = re.compile(r"mark\.(?:random|papers|browser)\b|\brandom_cases\(")


def test_modules_that_look_at_more_cases_are_found() -> None:
    assert len(MODULES) > 15


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_prove_runs_every_module_that_looks_at_more_cases(path: Path) -> None:
    assert PROVED.search(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "name", sorted(path.name for path in (ROOT / "script").glob("prove-*")) + ["hostile"]
)
def test_prove_all_runs_every_script_that_proves(name: str) -> None:
    assert f"script/{name} " in (ROOT / "script" / "prove").read_text("utf-8")
