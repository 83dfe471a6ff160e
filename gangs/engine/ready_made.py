"""Notes for a rulebook's author on ready-made gangs and archetypes: limits that they break, and
things in them that are not for sale. ``manage.py books check`` prints them, and the checker's list
of a draft shows them."""

from __future__ import annotations

from collections.abc import Iterator

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from gangs.engine import actions, offers
from gangs.engine.computed import ComputedGang
from gangs.engine.errors import Misfit
from gangs.engine.fold import fold
from gangs.engine.validation import Finding, findings
from rules.book.model import Archetype, Book, Sample, SampleMember
from rules.book.outfits import Outfit
from rules.book.schema import ChoiceSetting
from rules.book.vocabulary import Settings, Text
from rules.bounds.work import spend

# Units of work of founding a gang and checking it.
TRIAL = 1000
# Why a gang cannot be built, by the code of a Misfit.
WHY = {
    "unknown": _("it has something that the rulebook does not have"),
    "no_trait": _("somebody lacks a trait"),
}
# The place of a row in the book, and a sentence.
Note = tuple[tuple[str | int, ...], str]


def examine_ready_made(book: Book) -> Iterator[Note]:
    """Every note on the ready-made gangs and archetypes of a rulebook."""
    for index, sample in enumerate(book.samples):
        for place, words in _examine_sample(book, sample):
            yield ("samples", index, *place), words
    for index, archetype in enumerate(book.archetypes):
        if why := _why_never(book, archetype):
            message = _("“%(key)s” is never on offer: %(words)s")
            yield ("archetypes", index), say(message, key=archetype.key, words=why)


def _examine_sample(book: Book, sample: Sample) -> Iterator[Note]:
    """Notes on a ready-made gang as it is founded. Mere warnings are left out."""
    try:
        gang = found_ready_made(book, sample)
    except Misfit as error:
        yield (), say(_("“%(name)s” cannot be built: %(why)s"), name=sample.name, why=_why(error))
        return
    for place, outfit in enumerate(sample.members):
        for refusal in _not_for_sale(gang, outfit):
            message = _("“%(member)s” of “%(gang)s”: %(words)s")
            values = {"member": outfit.name, "gang": sample.name, "words": refusal}
            yield ("members", place), say(message, **values)
    places = {member.id: place for place, member in enumerate(gang.roster.members)}
    for finding in _errors(gang):
        own = () if finding.own is None else ("members", places[finding.own])
        message = _("“%(gang)s” breaks “%(limit)s”: %(words)s")
        yield own, say(message, gang=sample.name, limit=finding.code, words=finding.sentence)


def _why_never(book: Book, archetype: Archetype) -> str | Text:
    """Why an archetype can be recruited under none of the options; "" if it can be."""
    outfit = {name: getattr(archetype, name) for name in Outfit.model_fields}
    member = SampleMember(**{**outfit, "squad": ""}, name=archetype.name.first)
    first: str | Text = ""
    why: str | Text
    owners = {limit.code for limit in book.limits if limit.kind == "owner"}
    for settings in _options(book, archetype):
        sample = Sample(
            key="a", name=member.name, text=archetype.name, settings=settings, members=(member,)
        )
        try:
            gang = found_ready_made(book, sample)
        except Misfit as error:
            first = first or _why(error)
            continue
        # A gang of one lacks others, an owner among them; it must only have nothing that is
        # forbidden.
        faults: list[str | Text] = [*_not_for_sale(gang, member)]
        faults += [
            finding.sentence
            for finding in _errors(gang)
            if not finding.missing and finding.code not in owners
        ]
        why = next(iter(faults), "")
        if not why:
            return ""
        first = first or why
    return first


def _options(book: Book, archetype: Archetype) -> Iterator[Settings]:
    """Options under which an archetype may be on offer: the usual ones with those that it requires,
    then each other choice of one option at a time."""
    required: Settings = {key: values[0] for key, values in archetype.when.items() if values}
    yield required
    for setting in book.settings:
        if isinstance(setting, ChoiceSetting):
            for choice in setting.choices:
                if choice.key in archetype.when.get(setting.key, (choice.key,)):
                    yield {**required, setting.key: choice.key}


def found_ready_made(book: Book, sample: Sample) -> ComputedGang:
    """Found a ready-made gang without storing it. Raises Misfit."""
    spend(TRIAL)
    roster = fold(book, enumerate(actions.found_from_sample(book, sample), start=1))
    return ComputedGang.of(book, roster)


def _why(error: Misfit) -> str:
    return WHY.get(error.code, error.code)


def _errors(gang: ComputedGang) -> list[Finding]:
    return [one for one in findings(gang.book, gang.roster, gang) if one.severity == "error"]


def _not_for_sale(gang: ComputedGang, outfit: Outfit) -> Iterator[str]:
    """A sentence for each thing in an outfit that a player could not choose under the gang's
    options."""
    rules = gang.rules
    if outfit.rank not in {row.key for row in rules.recruited}:
        message = _("the rank “%(rank)s” cannot be recruited under these options")
        yield say(message, rank=outfit.rank)
    if outfit.origin is not None and outfit.origin not in {row.key for row in rules.origins}:
        message = _("the origin “%(origin)s” is not on offer under these options")
        yield say(message, origin=outfit.origin)
    callings = {offer.row.key for offer in offers.professions_of(gang, outfit.rank)}
    if outfit.profession is not None and outfit.profession not in callings:
        message = _("the profession “%(profession)s” is not on offer to them")
        yield say(message, profession=outfit.profession)
    sold = {row.key for row in rules.traits if rules.sells(row) and not row.gained_at}
    for key in outfit.traits:
        if key not in sold:
            yield say(_("the trait “%(trait)s” is not for sale under these options"), trait=key)
    for_sale = {row.key for row in rules.items if not row.innate}
    for key in outfit.items:
        if key not in for_sale:
            yield say(_("the item “%(item)s” is not for sale under these options"), item=key)
