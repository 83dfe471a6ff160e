"""The processor time of a sheet, compared with the same roster with a table cell for every value.

    .venv/bin/python bench/sheet.py [OUTDIR]

Ten members with twelve characteristics, three weapons of nine columns, skills and notes are laid
out both ways in the same run, in turn, and the ratios of each round are printed. The peak memory of
a fresh process that prints three pages follows. With OUTDIR both PDFs are written there.
"""

from __future__ import annotations

import io
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "skirmish.settings")
os.environ.setdefault("DEBUG", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")

import django

django.setup()

import weasyprint  # noqa: E402
from pypdf import PdfReader  # noqa: E402

from gangs.cards import sheet as cards_sheet  # noqa: E402
from gangs.cards.render import render  # noqa: E402
from gangs.cards.values import Page  # noqa: E402
from gangs.engine import entries as kinds  # noqa: E402
from gangs.engine.computed import ComputedGang  # noqa: E402
from gangs.engine.fold import fold  # noqa: E402
from printing.paper import drawings  # noqa: E402
from printing.press import layout as press  # noqa: E402
from printing.press.jobs import Job  # noqa: E402
from printing.sheets import roster as papers  # noqa: E402
from printing.sheets.roster import SheetOrder  # noqa: E402
from rules.book.model import Book  # noqa: E402

ROUNDS = 9
LABELS = ["M", "WS", "BS", "S", "T", "W", "I", "A", "Ld", "Cl", "Wil", "Int"]
VALUES = [5, 4, 4, 3, 3, 1, 4, 1, 7, 7, 7, 7]
COLUMNS = ["S", "L", "AS", "AL", "Str", "AP", "D", "Am", "Traits"]
CELLS = ['8"', '24"', "+1", "-", "3", "-1", "1", "4+", "Rapid Fire (1), Plentiful"]
SKILLS = ["Nerves of Steel", "Dodge", "Overseer", "Medicate"]
NOTES = "Lost an eye in the third battle; owes the guild two favours."


def text(words: str) -> dict[str, str]:
    return {"en": words, "fr": words}


def book() -> Book:
    """Return a made-up game as large as the largest: twelve characteristics, nine columns."""
    row = {"source": "house"}
    return Book.model_validate(
        {
            "slug": "bench",
            "name": text("Bench"),
            "summary": text("A game for measuring."),
            "edition": "1",
            "author": "nobody",
            "rating": {"name": text("Rating"), "unit": text("cr")},
            "money": {"name": text("Credits"), "unit": text("cr")},
            "life": "w",
            "sources": {},
            "characteristics": [
                row | {"kind": "number", "key": label.lower(), "name": text(label),
                       "short": text(label), "text": text(label), "start": value}
                for label, value in zip(LABELS, VALUES, strict=True)
            ],
            "ranks": [row | {"key": "ganger", "name": text("Ganger"), "price": 50}],
            "traits": [
                row | {"key": f"skill{i}", "name": text(name), "text": text(name), "price": 10}
                for i, name in enumerate(SKILLS)
            ],
            "groups": [
                row | {"key": "weapon", "name": text("Weapons"), "columns": [
                    {"key": f"c{i}", "name": text(name)} for i, name in enumerate(COLUMNS)
                ]}
            ],
            "items": [
                row | {"key": f"weapon{i}", "name": text(f"Weapon {i}"), "group": "weapon",
                       "price": 10, "columns": {f"c{j}": value for j, value in enumerate(CELLS)}}
                for i in range(40)
            ],
            "campaign": {
                "text": text("None."),
                "results": [row | {"key": "any", "kind": "open", "name": text("Any"),
                                   "text": text("Any")}],
                "standings": ["wins"],
                "steps": [],
            },
        }
    )  # fmt: skip


def gang(members: int) -> ComputedGang:
    """Return a gang of this many members, with three weapons each."""
    rules = book()
    made: list[kinds.Entry] = [kinds.Founded(name="The Bench Gang", settings={})]
    for number in range(members):
        made.append(kinds.Recruited(rank="ganger", name=f"Fighter {number}"))
        member = len(made)
        made += [kinds.TraitTaken(member=member, trait=f"skill{i}") for i in range(4)]
        weapons = [f"weapon{(number * 3 + i) % 40}" for i in range(3)]
        made += [kinds.Bought(member=member, item=weapon) for weapon in weapons]
        made.append(kinds.Noted(member=member, text=NOTES))
    return ComputedGang.of(rules, fold(rules, enumerate(made, start=1)))


STYLE = """
@page { size: A4; margin: 8mm }
body { font: 6pt/1.12 "Fira Sans"; margin: 0 }
h1 { font-size: 10pt; margin: 0 0 1mm }
.card { break-inside: avoid; border: .5pt solid #333; margin: 0 0 .8mm }
.card h2 { font-size: 8pt; margin: 0; padding: .3mm 1mm; background: #ddd }
.card p { margin: 0; padding: .2mm 1mm }
table { width: 100%; border-collapse: collapse; table-layout: fixed }
td, th { border: .3pt solid #999; text-align: center; padding: 0 .6mm; font-weight: normal }
"""


def cells(values: list[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(value)}</{tag}>" for value in values) + "</tr>"


def celled(page: Page) -> str:
    """Return the same facts as most people would write them: with a table cell for every value."""
    parts = [f"<h1>{escape(page.name)} {page.rating}</h1>"]
    for card in page.cards:
        boxes = drawings.boxes(card.life, "W").drawing
        parts.append(f'<div class="card"><h2>{escape(card.name)} <span>{card.rank}</span> ')
        parts.append(f"{boxes} {card.rating}</h2>")
        parts.append("<table>" + cells([stat.short for stat in card.stats], "th"))
        parts.append(cells([stat.value for stat in card.stats]) + "</table><table>")
        parts.append(cells(["Weapon", *COLUMNS], "th"))
        for item in card.items:
            parts.append(cells([item.name, *(value for _, value in item.cells)]))
        skills = " ".join(f"<b>{words.name}</b> {words.text}" for words in card.traits)
        amounts = cards_sheet.sum_up(card.receipt, card.rating, page.rating_unit)
        parts.append(f"</table><p>{skills}</p><p>{amounts}</p><p>{escape(card.notes)}</p></div>")
    parts.append(f"<p>{cards_sheet.sum_up(page.receipt, page.rating, page.rating_unit)}</p>")
    head = f'<meta charset="utf-8"><title>Roster</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>'


def timed(work: Callable[[], bytes]) -> tuple[float, bytes]:
    # Processor time: on a busy machine, the load of other programs does not count.
    start = time.process_time()
    made = work()
    return (time.process_time() - start) * 1000, made


def told(numbers: list[float], digits: int) -> str:
    middle = statistics.median(numbers)
    return f"{middle:.{digits}f} [{min(numbers):.{digits}f}-{max(numbers):.{digits}f}]"


def compare(members: int, folder: Path | None) -> None:
    computed = gang(members)
    # Prints only use our fonts, and so does the layout that they are compared with.
    shared = press._press()
    fonts = shared.style("fonts")
    link = "https://skirmish.example/s/abcdefghijklmnopqrstuv/"

    def base() -> bytes:
        html = weasyprint.HTML(string=celled(render(computed, "en")))
        made: bytes = html.write_pdf(stylesheets=[fonts], font_config=shared.fonts)
        return made

    def ours(plain: bool = False, link: str = "") -> bytes:
        order = SheetOrder("en", style="accessible" if plain else "ink", link=link)
        return press.pdf(Job(papers.markup(computed, order)))

    works = {
        "a cell for every value": base,
        "our sheet": ours,
        "our sheet, with QR code": lambda: ours(link=link),
        "our sheet, accessible": lambda: ours(plain=True),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    made = {name: timed(work)[1] for name, work in works.items()}
    for _ in range(ROUNDS):
        for name, work in works.items():
            times[name].append(timed(work)[0])
    print(f"{members} members")
    base_times = times["a cell for every value"]
    for name, row in times.items():
        ratios = [mine / other for mine, other in zip(row, base_times, strict=True)]
        pages = len(PdfReader(io.BytesIO(made[name])).pages)
        size = f"{pages} pages, {len(made[name])} bytes"
        print(f"  {name:26s} {told(row, 0):>18s} ms   x {told(ratios, 2)}   {size}")
        if folder:
            (folder / f"{name.replace(' ', '-')}-{members}.pdf").write_bytes(made[name])


def one(members: int) -> None:
    """Print one sheet and its peak memory."""
    pdf = press.pdf(Job(papers.markup(gang(members), SheetOrder("en"))))
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)
    print(f"{len(PdfReader(io.BytesIO(pdf)).pages)} pages: {peak / 1024:.0f} MiB at the peak")


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(int(sys.argv[2]))
    else:
        target = Path(sys.argv[1]) if len(sys.argv) > 1 else None
        if target:
            target.mkdir(parents=True, exist_ok=True)
        for count in (10, 30):
            compare(count, target)
        subprocess.run([sys.executable, __file__, "one", "30"], check=True)
