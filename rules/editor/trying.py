"""A document tried out: a row as its author types (the checker’s answer, and the odds of a sample
attack), and a ready-made gang on its sheet, built without storing anything."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.forms import Form
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from accounts.language import rules_language
from common.errors import Refusal
from common.wording.texts import FIRST
from rules import hooks
from rules.book.model import Book, Sample, SampleMember
from rules.book.schema import ChoiceSetting
from rules.book.vocabulary import Settings, Text
from rules.editor import edits
from rules.editor.documents import Document, check, languages_in, read, write
from rules.editor.forms import key_sign
from rules.editor.languages import text_of
from rules.editor.page import open_document, show
from rules.editor.places import Written, model_of
from rules.editor.refusals import complaint, describe
from rules.editor.row_form import RowForm
from rules.editor.row_views import NAMELESS, TRIED, find_wrong
from rules.editor.text import name_words, row_label
from rules.loading.sample_odds import Attack, SampleOdds
from rules.percent import percent

# The key of a row that is not stored yet.
TRIAL = "trial-row"
# The cards on one page, and the letters of a member's name.
MOST_CARDS, LONGEST_NAME = 12, 80


def describe_errors(bound: Iterable[Form]) -> Iterator[str]:
    """Yield the mistakes of forms, each with the label of its field."""
    for inner in bound:
        for name, errors in inner.errors.items():
            label = str(inner.fields[name].label or "") if name in inner.fields else ""
            for error in map(str, errors):
                yield _("%(place)s: %(what)s") % {"place": label, "what": error} if label else error


@require_POST
@open_document
def try_row(request: Request, document: Document, table: str, row: str) -> HttpResponse:
    """Answer with the mistakes of a row as it was typed, and its odds; nothing is stored."""
    written = read(document)
    adding = row == NAMELESS
    known = {} if adding else written.row(table, row)
    model = model_of(table, known) if known is not None else None
    if table not in TRIED or known is None or model is None:
        raise Http404
    languages = languages_in(document)
    form = RowForm(table, model, written, known, request.POST, adding=adding, languages=languages)
    words: list[str] = []
    notes: list[str] = []
    odds = None
    if form.is_valid():
        key = TRIAL.replace("-", key_sign(model)) if adding else row
        answered = form.answered()
        if adding:
            answered |= edits.make_new(written, model, key)
            edits.add_row(written, table, key, answered)
        else:
            edits.put_row(written, table, key, answered)
        try:
            text = write(document, written)
        except Refusal as refused:
            words = [describe(refused)]
        else:
            checked = check(
                document, text, attack=attack_asked(request, key if table == "rolls" else "")
            )
            name = name_words(model)
            words, notes = (
                [complaint(one.message, name) for one in find_wrong(table, key, found)]
                for found in (checked.wrong, checked.notes)
            )
            odds = checked.odds
    else:
        words = list(describe_errors(form.walk()))
    context = describe_trial(written, words, notes, odds)
    return render(request, "rules/editor/_trial.html", context)


def attack_asked(request: Request, roll: str) -> Attack:
    """Return the sample attack that a form asks for; a browser without an answer leaves the choice
    to the page."""
    by, item, at = (request.POST.get(f"try_{one}", "")[:80] for one in ("by", "item", "at"))
    return Attack(roll, by, item, at)


@dataclass(frozen=True)
class TrialChoice:
    """A question about the sample attack: its field, its label, its answers and the chosen one."""

    name: str
    label: str
    choices: list[tuple[str, str]]
    chosen: str


def describe_trial(
    written: Written,
    words: list[str],
    notes: Sequence[str] = (),
    odds: SampleOdds | None = None,
    groups: Collection[str] = (),
) -> dict[str, Any]:
    """Return the context of ``_trial.html``. ``words``: mistakes; ``groups``: the kinds of weapons
    to choose from, all without any."""
    context: dict[str, Any] = {"words": words, "notes": notes, "odds": [], "choices": []}
    if odds is None:
        return context
    ranks = [(key, row_label("ranks", row, key)) for key, row in written.rows("ranks").items()]
    items = [
        (key, row_label("items", row, key))
        for key, row in written.rows("items").items()
        if not groups or row.get("group") in groups
    ]
    asked = odds.attack
    choices = [TrialChoice("try_by", _("Attacker"), ranks, asked.by)]
    if asked.item:
        choices.append(TrialChoice("try_item", _("Weapon"), items, asked.item))
    choices.append(TrialChoice("try_at", _("Target"), ranks, asked.at))
    names = {"by": text_of(odds.by), "item": text_of(odds.item), "at": text_of(odds.at)}
    attack = _("%(by)s attacks %(at)s:")
    if asked.item:
        attack = _("%(by)s attacks %(at)s with %(item)s:")
    lines = [(text_of(name), percent(Fraction(chance) / 100)) for name, chance in odds.lines]
    return {**context, "attack": attack % names, "odds": lines, "choices": choices}


@require_safe
@open_document
def preview(request: Request, document: Document) -> HttpResponse:
    """Show a ready-made gang as its sheet would; ``?sample`` names it."""
    book = check(document).book
    if book is None:
        return redirect(document)
    own = bool(book.samples)
    samples = list(book.samples) if own else one_of_each(book)
    wanted = request.GET.get("sample", "")
    chosen = next((one for one in samples if one.key == wanted), samples[0])
    trial = hooks.gangs.try_out(book, chosen, rules_language())
    return show(
        request, document, "preview", trial=trial, samples=samples, chosen=chosen.key, own=own
    )


def one_of_each(book: Book) -> list[Sample]:
    """Return gangs with one member of each rank that can be recruited, for a game that has no
    ready-made gangs: for each choice of the first option that every gang chooses for itself, and in
    pages of ``MOST_CARDS`` members."""
    setting = next(
        (one for one in book.settings if isinstance(one, ChoiceSetting) and one.gang_only), None
    )
    if setting is None:
        return _pages(book, "all", book.name, {})
    return [
        page
        for choice in setting.choices
        for page in _pages(book, choice.key, choice.name, {setting.key: choice.key})
    ]


def _pages(book: Book, key: str, name: Text, settings: Settings) -> list[Sample]:
    """Return one member of each rank under these settings, in pages. The first may be empty."""
    ranks = book.under({**book.default_settings(), **settings}).recruited
    pages = [ranks[start : start + MOST_CARDS] for start in range(0, len(ranks), MOST_CARDS)]
    return [
        Sample(
            key=f"{key[:36]}-{number}",
            name=text_of(name.model_dump())[:70] + (f" {number}" if len(pages) > 1 else ""),
            text=Text({FIRST: "–"}),
            settings=dict(settings),
            members=tuple(
                SampleMember(name=rank.name.first[:LONGEST_NAME], rank=rank.key) for rank in page
            ),
        )
        for number, page in enumerate(pages or [()], start=1)
    ]
