"""Signs on paper are a printer's, whatever was typed."""

from __future__ import annotations

import pytest

from printing.press import parsed
from printing.typesetting.letters import typeset


@pytest.mark.parametrize(
    ("typed", "set_as"),
    [
        ('6"', "6″"),
        ('up to 12" away', "up to 12″ away"),
        ("-1 at range", "−1 at range"),
        ("TN -1, MC +2", "TN −1, MC +2"),
        ("(-2)", "(−2)"),
        ("5-6", "5-6"),
        ("2009-04", "2009-04"),
        ("1-2-3", "1-2-3"),
        ('a "quoted" word', 'a "quoted" word'),
        ("well-known", "well-known"),
        ("", ""),
    ],
)
def test_signs(typed: str, set_as: str) -> None:
    assert typeset(typed) == set_as
    assert typeset(set_as) == set_as


def test_of_a_print_only_what_is_read_is_changed() -> None:
    html = '<p style="margin: -1mm" class="a1">-1 <b>6"</b> to 7" <i>-2</i></p>'
    root = parsed(html)
    assert "".join(root.itertext()) == "−1 6″ to 7″ −2"
    assert root.get("style") == "margin: -1mm"
