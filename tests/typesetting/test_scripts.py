"""Letters that our own fonts lack: styled ones, and the scripts whose fonts a host may install."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from printing.press import layout as press
from typesetting import scripts

PRINT = """
import json, sys
from printing.press import layout as press
from printing.press.jobs import Job
from typesetting import measuring, scripts
job = Job("<html lang='en'><head><title>x</title></head><body><p>\u05d0</p></body></html>")
press.pdf(job)
unset = [text for text, _letters in scripts.find_unset(["\u05d0", "\u6f22"])]
print(json.dumps([unset, measuring.width("\u05d0", 10), "\\u05d0" not in press._press().unknown]))
"""


def make_font(path: Path) -> None:
    """Write a font with the letter alef, which is as wide as half its height."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((0, 500))
    pen.lineTo((400, 500))
    pen.closePath()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "alef"])
    builder.setupCharacterMap({0x5D0: "alef"})
    builder.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "alef": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (500, 0), "alef": (500, 0)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable(
        {
            "familyName": "Noto Sans Hebrew",
            "styleName": "Regular",
            "psName": "NotoSansHebrew-Regular",
            "fullName": "Noto Sans Hebrew",
        }
    )
    builder.setupOS2(sTypoAscender=800, usWinAscent=800, usWinDescent=200)
    builder.setupPost()
    path.parent.mkdir(parents=True)
    builder.save(path)


def test_unset_letters_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "_installed", lambda file: {})
    texts = ["Zoë Ψυχή Жанна 🤠", "𝔊uild Ⓐ", "漢字 Jo", ""]
    assert list(scripts.find_unset(texts)) == [("漢字 Jo", "漢字")]


def test_installed_font_of_a_script_is_used(tmp_path: Path) -> None:
    make_font(tmp_path / "fonts/NotoSansHebrew-Regular.ttf")
    found = subprocess.run(
        [sys.executable, "-c", PRINT],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)},
        cwd=Path(press.__file__).parents[2],
        capture_output=True,
        check=True,
        timeout=60,
    )
    unset, wide, is_used = json.loads(found.stdout)
    assert "\u05d0" not in unset
    assert wide == pytest.approx(0.5 * 10 * 25.4 / 72)
    assert is_used


def test_fonts_of_scripts_are_those_that_the_press_may_use() -> None:
    allowed = (press.STYLES / "fonts.conf").read_text()
    assert all(f"*/{script.file}" in allowed for script in scripts.SCRIPTS)
