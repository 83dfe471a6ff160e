"""First visits stay small: what a browser with an empty cache fetches, in bytes as they travel.

``bench/weight.py`` measures the same in a browser; these tests keep its table in
``bench/README.md`` true. Headers do not count.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import brotli
import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client

from accounts.models import User
from tests.world.gangs import SLUGS, make_gang, make_version

README = settings.BASE_DIR / "bench" / "README.md"
PICTURE = settings.BASE_DIR / "static" / "front" / "light-en-small.avif"
FRONT_PAGE, PAGE = 180 * 1024, 40 * 1024
# The weights that a page shows: text, bold, headings; a gang's page has 700 in its text, too.
USUAL = ("fira-sans-latin-400", "fira-sans-latin-600", "zilla-slab-latin-700")
TILES = (*USUAL, "zilla-slab-latin-600")
FONTS = {
    "front page": TILES,
    "my gangs": TILES,
    "a gang": (*TILES, "fira-sans-latin-700"),
    "all rulebooks": USUAL,
}
# Styles and the like, and fonts, in KiB.
ROW = r"^\| {} \| [\d.]+ \| ([\d.]+) \| ([\d.]+) \|"
IMPORT = re.compile(r"""\b(?:from|import)\s*"(\.[^"]+)""")
FETCHED = re.compile(
    r'<link rel="(?:stylesheet|icon)"[^>]* href="([^"?]+)[^"]*"|<script[^>]* src="([^"]+)"'
    r'|<use href="([^"#]+)|<img src="([^"]+)"'
)


def fetched(client: Client, html: str) -> int:
    """The bytes of all that a page names, once each."""
    names = {name for found in FETCHED.findall(html) for name in found if name}
    # A phone takes the smaller picture of two.
    names -= {large for large in names if "/front/" in large}
    names |= set(re.findall(r'<img [^>]*srcset="([^" ]+) 720w', html))
    total = 0
    files: set[Path] = set()
    for name in names:
        if name.startswith("/static/"):
            found = finders.find(name.removeprefix("/static/"))
            assert found, name
            files |= with_imports(Path(found))
        else:
            total += len(client.get(name).content)
    return total + sum(map(delivered, files))


def with_imports(file: Path) -> set[Path]:
    """A file, and the scripts that it imports."""
    if file.suffix != ".js":
        return {file}
    inner = IMPORT.findall(file.read_text("utf-8"))
    return {file}.union(*(with_imports((file.parent / name).resolve()) for name in inner))


def delivered(file: Path) -> int:
    """The size of a static file as a browser gets it."""
    content = file.read_bytes()
    is_text = file.suffix in {".css", ".js", ".svg"}
    return len(brotli.compress(content)) if is_text else len(content)


@pytest.mark.long
@pytest.mark.parametrize("name", FONTS)
def test_a_first_visit_weighs_what_the_table_says(client: Client, alice: User, name: str) -> None:
    for slug in SLUGS:
        make_version(slug)
    gang = make_gang(alice)
    if name != "front page":
        client.force_login(alice)
    addresses = {"front page": "/", "my gangs": "/gangs/", "all rulebooks": "/rules/"}
    html = client.get(addresses.get(name, gang.get_absolute_url())).content.decode()
    page = len(gzip.compress(html.encode(), 6))
    fonts = [settings.BASE_DIR / f"static/fonts/{font}-normal.woff2" for font in FONTS[name]]
    rest = fetched(client, html) + sum(map(delivered, fonts))
    # The players of this test have no pictures; the front page has one of its own.
    picture = delivered(PICTURE) if name == "front page" else 0
    row = re.search(ROW.format(name), README.read_text("utf-8"), re.M)
    assert row is not None
    assert abs((rest - picture) / 1024 - float(row[1]) - float(row[2])) < 3
    assert page <= PAGE
    if name == "front page":
        assert page + rest <= FRONT_PAGE


def test_a_script_counts_with_what_it_imports() -> None:
    files = with_imports(settings.BASE_DIR / "static" / "skirmish.js")
    assert len(files) > 3 and all(file.is_file() for file in files)
