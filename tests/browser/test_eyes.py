"""The checks of every page find the faults that they should."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.eyes import PHONE, barriers_of, faults_of

pytestmark = pytest.mark.browser

GOOD = (
    "<!doctype html><html lang='en'><title>Fine</title>"
    "<meta name='viewport' content='width=device-width'>"
    "<style>@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }</style>"
    "<main><h1>Fine</h1>%s</main></html>"
)
NAMELESS = "<input>"
WIDE = "<p style='width: 500px'>wide</p>"
DIM = "<p style='color: #333'>dim at night</p>"
FINE = "<p style='color: #eee'>bright</p>"
ABOVE = "background: #222; position: relative'></div><div style='position: absolute; top: 9em"


def test_eyes_find_faults_of_a_page(chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": PHONE[0], "height": PHONE[1]})
    page = context.new_page()
    page.set_content(GOOD % "")
    assert not faults_of(page)
    assert not barriers_of(page)
    page.set_content(GOOD % WIDE)
    assert "wider than the screen" in faults_of(page)[0]
    page.set_content(GOOD % NAMELESS)
    assert "fields without a label" in faults_of(page)[0]
    assert "label" in barriers_of(page)[0]
    page.set_content(GOOD % DIM)
    assert [said.split(":")[0] for said in barriers_of(page)] == ["axe, dark theme"]
    # Looks seen before are skipped, but each new look is checked.
    page.set_content(GOOD % f"<p>fine</p><p>fine</p><div style='background: #222'>{FINE}</div>")
    assert not barriers_of(page)
    page.set_content(GOOD % f"<p>fine</p><div style='background: #ccc'>{FINE}</div>")
    found = barriers_of(page)
    assert [said.split(":")[0] for said in found] == ["axe, dark theme", "axe, light theme"]
    page.set_content(GOOD % f"<p>fine</p><div style='{ABOVE}'>{FINE}</div>")
    assert [said.split(":")[0] for said in barriers_of(page)] == ["axe, light theme"]
    context.close()
