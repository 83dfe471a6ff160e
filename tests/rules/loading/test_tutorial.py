"""The tutorial works: after each step the folder is a rulebook with the drawn crew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gangs.cards.render import render
from gangs.cards.sheet import member_worth
from gangs.engine.actions import found_from_sample
from gangs.engine.computed import ComputedGang
from printing.members.ticks import find_ticks
from rules.book.model import Book
from rules.loading.examining import examine
from rules.loading.reader import read_folder
from tests.rules.loading.documents import GAME, TUTORIAL, blocks, files, parts
from tests.world.gangs import rostered


def sheet(book: Book) -> str:
    """Return the sample crew in a few lines: members, items, traits and tick boxes."""
    computed = ComputedGang.of(book, rostered(book, found_from_sample(book, book.samples[0])))
    page = render(computed, "en")
    lines: list[str] = []
    for card in page.cards:
        worth = member_worth(page, card)
        lines.append(" · ".join(filter(None, [card.name, card.rank, card.origin, worth])))
        lines.append(" · ".join(f"{stat.short} {stat.value}" for stat in card.stats))
        lines += [f"{item.name}: {item.summary}" for item in card.items]
        lines += [trait.name for trait in card.traits]
        lines += [card.learned] if card.learned else []
        lines += [f"{one.label} {'☐' * one.boxes}" for one in find_ticks(computed, card.id, "en")]
    return "".join(f"{line}\n" for line in lines)


def steps() -> Iterator[tuple[str, str]]:
    return iter(parts(TUTORIAL).items())


def test_each_step_of_the_tutorial_makes_a_rulebook_and_the_drawn_crew(tmp_path: Path) -> None:
    folder = tmp_path / GAME
    folder.mkdir()
    assert len(parts(TUTORIAL)) == 6
    for heading, text in steps():
        for name, block in files(text):
            (folder / name).write_text(block, "utf-8")
        assert examine(folder).mistakes == (), heading
        [drawn] = blocks(text, "text")
        assert sheet(read_folder(folder)) == drawn, heading
    assert [str(note) for note in examine(folder).notes] == []
