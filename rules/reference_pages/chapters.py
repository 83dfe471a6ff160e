"""A whole rulebook, drawn: its chapters in the order of need, its settings and documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.language import plain
from rules.book.model import Book
from rules.book.schema import Setting
from rules.reference_pages.campaign import campaign
from rules.reference_pages.characters import characters
from rules.reference_pages.goods import building, items
from rules.reference_pages.pieces import Chapter, Fact, Piece, RulebookPages, Section, fact
from rules.reference_pages.play import glossary, play, scenarios, tables
from rules.reference_pages.words import BookWording

CHAPTERS: tuple[tuple[str, Promise, Callable[[BookWording], Iterator[Section]]], ...] = (
    ("play", gettext_lazy("Play"), play),
    ("characters", gettext_lazy("Characters"), characters),
    ("items", gettext_lazy("Items"), items),
    ("building", gettext_lazy("Building"), building),
    ("scenarios", gettext_lazy("Scenarios"), scenarios),
    ("tables", gettext_lazy("Tables"), tables),
    ("campaign", gettext_lazy("Campaign"), campaign),
    ("glossary", gettext_lazy("Glossary"), glossary),
)


def render(book: Book, language: str) -> RulebookPages:
    """The rulebook in one language, without the chapters that it has nothing for."""
    with translation.override(plain(language)):
        words = BookWording(book, language)
        chapters = (Chapter(key, str(title), tuple(draw(words))) for key, title, draw in CHAPTERS)
        return RulebookPages(
            book,
            facts=tuple(_facts(words)),
            settings=tuple(_setting(words, row) for row in book.settings),
            chapters=tuple(chapter for chapter in chapters if chapter.sections),
        )


def _facts(words: BookWording) -> Iterator[Fact]:
    """What the game counts."""
    book = words.book
    if book.rating is not None:
        name, unit = words.translated(book.rating.name), words.translated(book.rating.unit)
        yield from fact(_("What a gang is worth"), f"{name} ({unit})")
    if book.money is not None:
        name, unit = words.translated(book.money.name), words.translated(book.money.unit)
        yield from fact(_("Paid in"), f"{name} ({unit})" if name != unit else name)
    budget = book.usual.budget
    if budget is not None:
        yield from fact(_("Budget of a new gang"), words.money(budget))


def _setting(words: BookWording, row: Setting) -> Piece:
    if row.kind == "choice":
        names = {choice.key: words.translated(choice.name) for choice in row.choices}
        names[row.default] = _("%(choice)s (usual)") % {"choice": names[row.default]}
        facts = fact(_("Choices"), *names.values())
    else:
        bounds = {"default": row.default, "minimum": row.minimum, "maximum": row.maximum}
        sentence = _("%(default)s usually, from %(minimum)s to %(maximum)s")
        facts = fact(_("Number"), sentence % bounds)
    return words.piece("setting", row, [_("campaigns only") if row.campaign_only else ""], facts)
