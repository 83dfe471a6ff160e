"""The eyes that look at every page see what they should."""

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


def test_eyes_see_what_is_wrong(chromium: Browser) -> None:
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
    context.close()
