"""Names in the documents: each test, script, command and page that they name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def test_every_promise_names_its_proof() -> None:
    page = (ROOT / "docs" / "trust.md").read_text("utf-8")
    promises = page.partition("\n## Figures\n")[0]
    for row in re.findall(r"^\| (?!promise|---)(.*) \|$", promises, re.M):
        promise, how, proof = row.split(" | ")
        assert promise and how and re.search(r"`(tests/|script/|manage\.py )", proof), row
    named = re.findall(r"`((?:tests|script)/[\w/.-]+)(?:::(\w+))?", page)
    assert len(named) > 50
    for path, test in named:
        assert (ROOT / path).exists(), path
        assert not test or f"def {test}(" in (ROOT / path).read_text("utf-8"), test


def test_every_command_in_the_documents_exists() -> None:
    known = set(get_commands())
    for document in DOCUMENTS:
        text = document.read_text("utf-8")
        named = set(re.findall(r"manage\.py ([a-z_]+)", text))
        named |= set(re.findall(r"(?:deploy/entrypoint|^ +skirmish) ([a-z_]+)", text, re.M))
        assert named <= known | {"serve"}, document.name


def test_documents_name_only_options_that_script_test_explains() -> None:
    explained = (ROOT / "script" / "test").read_text("utf-8").partition("\nset ")[0]
    named = {
        option
        for document in (*DOCUMENTS, ROOT / "pyproject.toml")
        for options in re.findall(r"script/test((?: --\w+)+)", document.read_text("utf-8"))
        for option in options.split()
    }
    assert len(named) > 4
    assert {option for option in named if f"{option} " not in explained} == set()


def anchors(document: Path) -> set[str]:
    """Return the anchor of each heading: made from its words, as Markdown viewers do, or set
    explicitly.
    """
    text = document.read_text("utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    named = set(re.findall(r'^<a id="([\w-]+)"></a>$', text, re.M))
    return named | {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_in_the_documents_lead_to_existing_places(document: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text("utf-8")):
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
