"""Mistakes in the pages that tests have seen, according to the Nu HTML checker.

    .venv/bin/python bench/nu.py VNU FOLDER

VNU: the checker's vnu.jar, as npm installs it; FOLDER: the pages and parts of pages that tests have
kept there (tests/kept_html.py; ``script/test --browser`` does both). Ends with an error, and prints
the mistakes, if a page is not valid HTML.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

# Accepted messages: htmx's attributes; a typed value that its field cannot take, shown to its
# author again; and roles within a table that has none (templates/rules/_stacked.html).
KNOWN = (
    r"Attribute “hx-[a-z-]+” not allowed on element .*"
    r"|Bad value “.*” for attribute “value” on element “input”.*"
    r"|The “(cell|row|rowgroup|columnheader|rowheader)” role is unnecessary for element .*"
)
# The checker misses these in a part of a page, which lacks the rest of the page.
ELSEWHERE = re.compile(
    r"must (refer|point|be the ID)|contain one or more ID|computed heading level"
    r"|Article lacks heading"
)
# The element around a part that cannot be on its own, by the part's first element.
PLACES = {
    "tr": "<table><tbody>{}</tbody></table>",
    "td": "<table><tbody><tr>{}</tr></tbody></table>",
    "th": "<table><tbody><tr>{}</tr></tbody></table>",
    "tbody": "<table>{}</table>",
    "li": "<ul>{}</ul>",
    "dt": "<dl>{}</dl>",
    "option": "<select>{}</select>",
}
PAGE = '<!doctype html>\n<html lang="en"><head><title>A part</title></head><body>{}</body></html>'
MOST = 40


def is_part(html: str) -> bool:
    """Whether the HTML is not a whole page."""
    return "<html" not in html[:500].lower()


def as_page(part: str) -> str:
    """Return the part inside a minimal page."""
    first = re.search(r"<([a-z][a-z0-9]*)", part)
    place = PLACES.get(first[1] if first else "", "{}")
    return PAGE.format(place.format(part))


def checked(program: str, folder: Path) -> list[dict[str, Any]]:
    """Return all messages of the checker about the folder's files."""
    said = subprocess.run(
        [
            "java",
            "-Xss4m",
            "-jar",
            program,
            "--format",
            "json",
            "--stdout",
            "--exit-zero-always",
            "--no-langdetect",
            "--filterpattern",
            KNOWN,
            str(folder),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    messages: list[dict[str, Any]] = json.loads(said.stdout)["messages"]
    return messages


def main() -> int:
    """Print each mistake once, with a page that has it; return whether there is none."""
    program, kept = sys.argv[1], Path(sys.argv[2])
    pages = sorted(kept.glob("*.html"))
    if not pages:
        print(f"No pages in {kept}: run the tests with KEPT_HTML={kept}")
        return 1
    parts = set()
    found = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            html = page.read_text(encoding="utf-8")
            if is_part(html):
                parts.add(page.name)
                (Path(folder) / page.name).write_text(as_page(html), encoding="utf-8")
            else:
                shutil.copy(page, folder)
        for message in checked(program, Path(folder)):
            name = Path(unquote(urlsplit(message.get("url", "")).path)).name
            wrong = message["type"] != "info" or message.get("subType") == "warning"
            elsewhere = name in parts and ELSEWHERE.search(message["message"])
            if wrong and not elsewhere:
                # Numbers and names differ from page to page.
                kind = re.sub(r"“[^”]*\d[^”]*”|\d+", "…", message["message"])
                found[kind].append((name, message))
    print(f"{len(pages)} pages and parts of pages, {len(found)} kinds of mistakes")
    for places in sorted(found.values(), key=len, reverse=True)[:MOST]:
        name, message = places[0]
        print(f"\n{message['message']}")
        print(f"  {kept / name}:{message.get('lastLine', 1)}, and {len(places) - 1} more places")
        print("  " + " ".join(message.get("extract", "").split()))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
