"""Lives in a line or two: what a member did and suffered in a campaign, for the reader."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.statistics.chronicle import events_of
from campaigns.statistics.season_facts import Season, SeasonGang
from campaigns.text import list_names
from gangs.engine.timeline import Person
from gangs.text.formats import localize
from rules.book.vocabulary import name_of


def life(season: Season, gang: str, member: int) -> str:
    """Return the life of a member who has played; "" of anybody else."""
    known = season.gang.get(gang)
    person = known.people.get(member) if known is not None else None
    if known is None or person is None:
        return ""
    return " ".join([*_deeds(season, person), *_fortunes(season, known, member)])


def _deeds(season: Season, person: Person) -> Iterator[str]:
    """Yield a member's record in numbers."""
    played = ngettext("%(count)s game", "%(count)s games", person.games) % {"count": person.games}
    parts = [played]
    if person.taken_out:
        parts.append(
            ngettext("%(count)s enemy out of action", "%(count)s enemies out of action",
                     person.taken_out)
            % {"count": person.taken_out}
        )  # fmt: skip
    if person.experience:
        parts.append(f"{localize(season.book.experience_word)} {number_format(person.experience)}")
    yield ", ".join(parts) + "."


def _fortunes(season: Season, gang: SeasonGang, member: int) -> Iterator[str]:
    """Yield promotions, learned traits, characteristics that rose, and lasting injuries."""
    own = [event for event in events_of(season, gang) if event.member == member]
    book = season.book
    rose = [name_of(book.rank, event.key) for event in own if event.kind == "promoted"]
    learned = [
        name_of(book.trait, event.key) for event in own if event.kind in ("advance", "gained")
    ]
    grown = [
        name_of(book.characteristic, event.key)
        for event in own
        if event.kind == "rose" and event.amount > 0
    ]
    marked = [
        name_of(book.condition, row.key) for row in own if row.kind == "suffered" and not row.amount
    ]
    for sentence, names in (
        (_("Promoted to %(names)s."), rose),
        (_("Learned %(names)s."), learned),
        (_("Improved in play: %(names)s."), grown),
        (_("Marked by %(names)s."), marked),
    ):
        if names:
            yield sentence % {"names": list_names(list(dict.fromkeys(map(localize, names))))}
