"""All messages that a channel should have now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from campaigns.models import Game, Night, Round
from campaigns.season.chronicle_text import chronicle_lines
from outbound.hooks import events, nights
from outbound.hooks.subjects import Sight, Subject
from outbound.models import Kind

MAKERS: Mapping[str, tuple[Callable[[Sight], Iterator[Subject]], ...]] = {
    Kind.NIGHTS: (nights.night_subjects,),
    Kind.PAIRINGS: (nights.night_subjects, nights.round_subjects),
    Kind.RESULTS: (events.result_subjects,),
    Kind.DEATHS: (events.death_subjects,),
    Kind.ADVANCES: (events.advance_subjects,),
    Kind.POSTGAMES: (events.postgame_subjects,),
}


def find_subjects(sight: Sight) -> Iterator[Subject]:
    """Yield everything of the chosen kinds that a channel should have a message about, except the
    events that are older than the channel."""
    known = set(sight.hook.known)
    makers = [maker for kind in sight.hook.kinds for maker in MAKERS.get(kind, ())]
    for maker in dict.fromkeys(makers):
        for subject in maker(sight):
            is_old = subject.is_past and subject.key in known and subject.key not in sight.sent
            if subject.kind in sight.hook.kinds and not is_old:
                yield subject


def find_past(sight: Sight) -> Iterator[Subject]:
    """Yield all recent events, whatever kinds are chosen."""
    makers = [maker for of_kind in MAKERS.values() for maker in of_kind]
    for maker in dict.fromkeys(makers):
        yield from (subject for subject in maker(sight) if subject.is_past)


def is_gone(sight: Sight, key: str) -> bool:
    """Whether the subject of a message no longer exists, so the message must go, too."""
    what, _colon, rest = key.partition(":")
    match what:
        case "night" | "pairings":
            return not Night.objects.filter(pk=rest).exists()
        case "off":
            return not Night.objects.filter(pk=rest).exclude(cancelled_at=None).exists()
        case "round":
            return not Round.objects.filter(pk=rest).exists()
        case "result":
            return not Game.objects.filter(pk=rest).exists()
        case "died":
            return all(line.key != key for line in chronicle_lines(sight.loaded.season))
        case "advances":
            return all(subject.key != key for subject in events.advance_subjects(sight))
    return False
