"""The site's style sheets: they need nothing that Safari 16.4 (March 2023) lacks, and use three
sizes of type.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

# Newer features, and the first Safari that has them ("-": none yet when this was written). A page
# must not need any of them.
NEWER = {
    r"@starting-style\b": "17.5",
    r"@scope\b": "17.4",
    r"@counter-style\b": "17",
    r"@view-transition\b": "18.2",
    r"@position-try\b": "26",
    r"@function\b": "-",
    r"(?<!-)\banchor(-name|-size)?\s*[:(]": "26",
    r"\bposition-(anchor|area|try)\b": "26",
    r"\bfield-sizing\s*:": "26.2",
    r"\binterpolate-size\s*:": "-",
    r"\bcalc-size\(": "-",
    r"\bif\(": "-",
    r"\blight-dark\(": "17.5",
    r"\bcontrast-color\(": "26",
    r"\blinear\(": "17.2",
    r"\b(rgb|hsl|oklch|lab|lch|color)\(\s*from\b": "18",
    r"\btransition-behavior\s*:|\ballow-discrete\b": "17.4",
    r"\bcontent-visibility\s*:": "18",
    r"\bcontain-intrinsic": "17",
    r"\bcounter-set\s*:": "17.2",
    r"\banimation-timeline\s*:|\bview-timeline": "26",
    r"\btext-box\b": "18.2",
    r"\bscrollbar-(color|width|gutter)\s*:": "18.2",
    r"\bwhite-space-collapse\s*:": "17.4",
    r"\balign-content\s*:[^;}]*;\s*display\s*:\s*block": "17.4",
    r"\bmasonry\b|\bgrid-lanes\b": "-",
    r":state\(": "17.4",
    r":(user-valid|user-invalid)\b": "16.5",
    r"::details-content\b": "18.4",
    r"::(highlight|target-text)\b": "17.2",
    r":open\b": "-",
}
# A rule within a rule (16.5): a block that opens before the enclosing block has ended.
NESTED = re.compile(r"(^|[;{}])\s*&")
SPOKEN = re.compile(r'content: ("[^"]*") / "";')


def sheets() -> dict[str, str]:
    """Return our style sheets without their comments."""
    folder = settings.BASE_DIR / "static"
    return {
        path.name: re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        for path in sorted(folder.glob("*.css"))
    }


@pytest.mark.parametrize("name", sheets())
def test_style_sheets_need_no_newer_browser(name: str) -> None:
    text = sheets()[name]
    assert not {newer: since for newer, since in NEWER.items() if re.search(newer, text)}
    assert not NESTED.search(text)


@pytest.mark.parametrize("name", sheets())
def test_marks_are_drawn_in_browsers_that_cannot_silence_them(name: str) -> None:
    """Safari 17.4 and later accept other words for a drawn sign in speech, here none. Older ones
    drop the whole line, so a line with the sign only comes before it.
    """
    text = sheets()[name]
    for spoken in SPOKEN.finditer(text):
        assert text[: spoken.start()].endswith(f"content: {spoken[1]}; "), spoken[0]
    assert len(re.findall(r'" / "', text)) == len(SPOKEN.findall(text))


def test_popovers_are_hidden_in_browsers_that_lack_them() -> None:
    """Popovers came with Safari 17: before that, the content behind a button would always be
    visible.
    """
    hidden = "@supports not selector(:popover-open) { [popover] { display: none; } }"
    assert hidden in sheets()["skirmish.css"]
    used = [name for name, text in sheets().items() if ":popover-open" in text]
    assert used == ["skirmish.css"]


# Faces and dice are drawings of a fixed size, and so are the front page's headline and its step
# numbers; a mark beside a number is a part of it.
DRAWN = re.compile(
    r"\.face\b|\.hero h1|\.how > li::before|portrait|monogram|\.letter|-die\b"
    r"|is-better|is-worse|^body$"
)
SIZES = {"var(--small)", "var(--text)", "var(--large)", "var(--title)", "inherit"}
# The page that must work when nothing else does, and contains what it needs.
ALONE = "bare.css"


@pytest.mark.parametrize("name", [name for name in sheets() if name != ALONE])
def test_type_has_three_sizes_and_the_titles_size(name: str) -> None:
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", sheets()[name])
    found = {
        (selector.strip(), size)
        for selector, body in rules
        for size in re.findall(r"font-size: ([^;]+?)\s*(?:;|$)", body.strip())
        + re.findall(r"font: (?:italic )?\d+ ([^/;]+)/", body)
        if not DRAWN.search(selector.strip())
    }
    assert {rule for rule in found if rule[1] not in SIZES} == set()


def test_figures_have_equal_widths_and_texts_a_plain_ground() -> None:
    text = sheets()["skirmish.css"]
    assert re.search(r"\nbody \{[^}]*font-variant-numeric: tabular-nums", text)
    assert len(re.findall(r"var\(--ground\)", text)) == 1
    narrow = "@media (max-width: 83.99rem) { .band::after { display: none; } }"
    assert narrow in text


# Sides that are on the other side in languages that are written from right to left.
PHYSICAL = re.compile(
    r"\b(margin|padding|border)-(left|right)\b|\bborder-(top|bottom)-(left|right)-radius"
    r"|\b(text-align|float|clear): *(left|right)\b|(?<![\w-])(left|right): *[^ ]"
    # Four lengths, of which the second is at the right and the last at the left.
    r"|(?<![\w-])(?:margin|padding|border-width): (?![^;}]*env\()[^\s;}]+ (?P<right>[^\s;}]+) "
    r"[^\s;}]+ (?!(?P=right)[;} ])[^\s;}]+(?= ?[;}])"
)
# The margins of a sheet of paper are at its sides in every language.
PAPER_MARGINS = re.compile(r"@(top|bottom)-(left|right)[\w-]* *\{[^}]*\}|@page[^{]*\{[^@}]*")
STYLED = re.compile(r'style="([^"]*)"')


def test_styles_name_the_sides_by_the_direction_of_writing() -> None:
    """In style sheets, also those of prints, and in styles that templates set."""
    root = settings.BASE_DIR
    texts = {
        path: PAPER_MARGINS.sub("", re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL))
        for path in [*(root / "static").glob("*.css"), *(root / "static/print").glob("*.css")]
    }
    texts |= {
        path: " ".join(STYLED.findall(path.read_text()))
        for path in (root / "templates").rglob("*.html")
    }
    assert {
        path.name: found[0] for path, text in texts.items() if (found := PHYSICAL.search(text))
    } == {}


@pytest.mark.parametrize(
    ("style", "is_physical"),
    [
        ("p { margin-left: 0 }", True),
        ("p { padding: 0 1mm 0 2mm; }", True),
        ("p { padding: 0 1mm 2mm 1mm }", False),
        ("p { padding: 0 1mm 2mm }", False),
        ("p { margin-inline: 1mm 0; text-align: start }", False),
        ("p { left: 0 }", True),
    ],
)
def test_a_style_with_a_side_is_found(style: str, is_physical: bool) -> None:
    assert bool(PHYSICAL.search(style)) is is_physical


@pytest.mark.long
def test_every_style_sheet_refers_to_existing_files(settings: Any, tmp_path: Path) -> None:
    """Files are collected as on a site, which does not start if a file is missing."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES |= {
        "staticfiles": {
            "BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage",
        }
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    assert (tmp_path / "staticfiles.json").exists()
