"""The chronicle: its events, their order and their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, timedelta
from itertools import pairwise
from typing import get_args, get_type_hints
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.captives import Terms
from campaigns.engine.report import Capture, Credit
from campaigns.season.chronicle_text import SENTENCES, brief, link_line, plain, turn_lines
from campaigns.statistics.chronicle import (
    Fate,
    Happening,
    Undoing,
    chronicle,
    days,
    gangs_of_newcomers,
    list_lines,
    newest,
)
from campaigns.statistics.season_facts import Correction, PastBargain, Season
from gangs.engine.timeline import Person
from gangs.text.formats import localize
from rules.book.model import Book
from rules.loading.reader import read_folder
from tests.games.conftest import FOLDER
from tests.world.gangs import shipped
from tests.world.pasts import FIRST, a_game, a_gang, a_happening, a_past, a_side, moment_of

DEEP = "au-un-pour-un"
CAMPAIGN = "6f2c1f0e-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def terraces() -> Book:
    """Return the game of households on a vineyard's terraces."""
    return read_folder(FOLDER / "terraces")


def write_chronicle(season: Season) -> list[str]:
    """Return the chronicle in English."""
    return [plain(season.book, line) for line in chronicle(season, UTC)]


def full() -> Season:
    """Return a campaign with an event of every kind."""
    wolf = Person(id=1, name="Wolf", rank="chef", games=3, fate="legend")
    fox = Person(id=2, name="Fox", rank="sous_fifre", games=2)
    crow = Person(id=7, name="Crow", rank="chef", games=2)
    reds = a_gang(
        "reds",
        people=(wolf, fox),
        events=(
            a_happening("died", 20, 3, name="Hare", game="g1"),
            a_happening("suffered", 21, 2, name="Fox", key="captured", game="g1", against="Blues"),
            a_happening("suffered", 22, 2, name="Fox", key="missing", game="g1", amount=2),
            a_happening("promoted", 23, 2, name="Fox", key="chef", game="g1", how="promotion"),
            a_happening("dismissed", 24, 9, name="Nobody"),
            a_happening("left", 30, 1, name="Wolf", rank="chef", key="legend", game="g2"),
            a_happening("recovered", 31, 2, name="Fox", key="captured", at=moment_of(3)),
            a_happening("recruited", 32, 4, name="New", at=moment_of(3)),
            a_happening("died", 33, 5, name="Elsewhere", game="another campaign's"),
        ),
    )
    blues = a_gang("blues", people=(crow,), left=9)
    first = a_game(
        1,
        a_side(
            "reds",
            "loser",
            credits=dict.fromkeys((2, 3), Credit(gang="blues", member=7)),
            turns={1: 6, 2: 5, 3: 4},
        ),
        a_side("blues"),
        result="victory",
    )
    second = a_game(2, a_side("reds", "level"), a_side("blues", "level"), result="draw")
    struck = a_game(
        5, a_side("reds"), a_side("blues", "loser"), struck_by="bob", struck_why="never happened"
    )
    bargain = PastBargain(
        "1", moment_of(3), "reds", "blues", "Reds", "Blues",
        Terms(frees=(("giver", 2),), ransom=3, payer="giver"),
    )  # fmt: skip
    correction = Correction("1", moment_of(4), "reds", "bob", "the dice were counted wrongly")
    return a_past(
        shipped(DEEP),
        first,
        second,
        gangs=(reds, blues),
        struck=(struck,),
        bargains=(bargain,),
        corrections=(correction,),
    )


def test_events_are_in_order() -> None:
    """The newest day comes first, and a death leads its day."""
    assert write_chronicle(full()) == [
        "Blues left the campaign.",
        "bob undid the game Reds – Blues: “never happened”",
        "bob corrected the history of Reds: “the dice were counted wrongly”",
        "Reds and Blues came to terms: Fox was set free, and Reds paid 3 pts.",
        "Reds and Blues met: Draw.",
        "Wolf (Reds) leaves the field for good, and full of glory: Living legend.",
        "Hare (Reds) was killed by Crow (Blues) in turn 4.",
        "Blues beat Reds.",
        "Fox (Reds) fell into the hands of Blues.",
        "Fox (Reds) was promoted to Chief.",
        "Reds (reds-player) joined the campaign.",
        "Blues (blues-player) joined the campaign.",
    ]


def test_capture_names_both_sides_and_the_place(terraces: Book) -> None:
    taken = Capture(gang="blues", place=4, holding="south")
    own = Capture(gang="blues", place=5, holding="spring", name="The Old Well")
    winner = a_side("reds")
    report = winner.report.model_copy(update={"captures": (taken, own)})
    game = a_game(1, replace(winner, report=report), a_side("blues", "loser"), result="won")
    season = a_past(terraces, game, gangs=(a_gang("reds"), a_gang("blues")))
    assert write_chronicle(season)[:3] == [
        "Reds beat Blues.",
        "Reds captured South terrace from Blues.",
        "Reds captured The Old Well from Blues.",
    ]
    # The loser's gang was deleted: only its side in the game had its name.
    alone = replace(season, games=(replace(game, sides=(game.sides[0],)),))
    assert "Reds captured South terrace." in write_chronicle(
        replace(alone, facts=WeakKeyDictionary())
    )


def test_game_is_narrated_turn_by_turn() -> None:
    season = full()
    first, second = season.games
    told = [(line.turn, line.sentences) for line in turn_lines(season, first, {})]
    assert told == [
        # The name of the third is unknown.
        (5, ("Crow (Blues) takes out Fox (Reds).",)),
        (6, ("Wolf (Reds) goes out.",)),
    ]
    assert turn_lines(season, second, {}) == []
    # A recruit's name appears in the gang's past only after the post-game.
    assert gangs_of_newcomers(season, first) == {"reds"}
    [with_name, *others] = turn_lines(season, first, {("reds", 3): "Hare"})
    assert (with_name.turn, with_name.sentences) == (4, ("Crow (Blues) takes out Hare (Reds).",))
    assert [(line.turn, line.sentences) for line in others] == told


def test_people_and_games_are_links_and_names_are_escaped() -> None:
    season = full()
    evil = "<script>%(gang)s</script>"
    reds = season.gangs[0]
    timeline = reds.timeline.model_copy(
        update={"events": (a_happening("dismissed", 9, 2, name=evil, at=moment_of(2)),)}
    )
    season = replace(
        season, gangs=(replace(reds, timeline=timeline), season.gangs[1]), facts=WeakKeyDictionary()
    )
    (line,) = [line for line in chronicle(season, UTC) if line.kind == "dismissed"]
    gang = "6f2c1f0e-0000-4000-8000-000000000001"
    html = link_line(season.book, CAMPAIGN, replace(line, gang=gang))
    career = f"/campaigns/{CAMPAIGN}/gangs/{gang}/members/2/"
    name = "&lt;script&gt;%(gang)s&lt;/script&gt;"
    assert html == f'Reds dismissed <a href="{career}">{name}</a>.'
    (won,) = [line for line in chronicle(season, UTC) if line.kind == "won"]
    html = link_line(season.book, CAMPAIGN, replace(won, game=gang))
    assert html == f'<a href="/campaigns/games/{gang}/">Blues beat Reds.</a>'


def test_losses_name_the_enemies_when_there_is_no_credit() -> None:
    happened = (a_happening("died", 20, 3, name="Hare", game="g1"),)
    reds = a_gang("reds", events=happened)
    game = a_game(1, a_side("reds"), a_side("blues", "loser"), a_side("", "loser", name="Gone"))
    season = a_past(shipped(DEEP), game, gangs=(reds, a_gang("blues")))
    assert "Hare (Reds) died in the game against Blues and Gone." in write_chronicle(season)
    between = a_gang("reds", events=(a_happening("died", 20, 3, name="Hare"),))
    assert "Hare (Reds) died." in write_chronicle(a_past(shipped(DEEP), gangs=(between,)))


def test_events_before_and_after_the_campaign_are_left_out() -> None:
    at = {"early": moment_of(0), "here": moment_of(3), "late": moment_of(8)}
    happened = tuple(
        a_happening("died", number, number, name=name, at=when)
        for number, (name, when) in enumerate(at.items(), start=1)
    )
    gone = a_gang("reds", events=happened, joined=2, left=5)
    told = write_chronicle(a_past(shipped(DEEP), gangs=(gone,)))
    assert [line for line in told if "died" in line] == ["here (Reds) died."]
    stays = a_gang("reds", events=happened, joined=2)
    ended = a_past(shipped(DEEP), gangs=(stays,), ended_at=moment_of(5))
    assert [line for line in write_chronicle(ended) if "died" in line] == ["here (Reds) died."]


def test_days_are_in_the_sites_time_zone() -> None:
    late = a_gang("reds", events=(a_happening("died", 1, 1, at=moment_of(0, 23)),))
    (died,) = [
        line
        for line in chronicle(a_past(shipped(DEEP), gangs=(late,)), ZoneInfo("Europe/Paris"))
        if line.kind == "died"
    ]
    assert died.day == FIRST + timedelta(days=1)


def test_days_link_to_their_nights() -> None:
    game = a_game(1, a_side("reds"), a_side("blues", "loser"), night="n1")
    season = a_past(shipped(DEEP), game, gangs=(a_gang("reds"), a_gang("blues")))
    found = days(season, chronicle(season, UTC))
    assert [(day.day, day.nights, len(day.lines)) for day in found] == [
        (FIRST + timedelta(days=1), ("n1",), 1),
        (FIRST - timedelta(days=1), (), 2),
    ]


def test_news_are_the_entries_written_last() -> None:
    """A post-game that is played late is news even when its game is old."""
    late = a_happening("died", 1, 1, name="Hare", game="g1", at=moment_of(30))
    season = a_past(
        shipped(DEEP),
        a_game(1, a_side("reds"), a_side("blues", "loser")),
        a_game(9, a_side("reds"), a_side("blues", "loser")),
        gangs=(a_gang("reds", events=(late,)), a_gang("blues")),
    )
    lines = newest(chronicle(season, UTC), 2)
    assert [(line.kind, line.game) for line in lines] == [("died", "g1"), ("won", "g9")]


def list_kinds() -> Iterator[tuple[str, type]]:
    """Yield the kinds of events, each with its type."""
    for part in get_args(Happening.__value__):
        for event in get_args(part.__value__) if part is Fate else [part]:
            words = get_type_hints(event)["kind"]
            kinds = get_args(getattr(words, "__value__", words)) or (event.kind,)
            yield from ((kind, event) for kind in kinds)


def test_each_kind_of_the_chronicle_has_sentences_with_the_words_of_its_type() -> None:
    kinds = dict(list_kinds())
    assert kinds.keys() - SENTENCES.keys() == {"advance", "rose"}
    for kind, sentences in SENTENCES.items():
        words = set(get_type_hints(kinds[kind])) - {"kind"}
        words |= {"hand_gang"} & {f"{word}_gang" for word in words}
        for sentence in sentences:
            assert set(re.findall(r"%\((\w+)\)s", str(sentence))) <= words, sentence


def test_keys_of_lines_never_change() -> None:
    """Feeds and channels recognise lines by their keys."""
    assert [line.key for line in chronicle(full(), UTC)] == [
        "left:blues",
        "struck:g5",
        "corrected:1",
        "bargain:1",
        "game:g2",
        "honoured:reds:30:1",
        "died:reds:20:3",
        "game:g1",
        "captured:reds:21:2",
        "promoted:reds:23:2",
        "joined:reds",
        "joined:blues",
    ]


def test_chronicle_leaves_out_gains_and_rises_that_channels_tell() -> None:
    book = shipped(DEEP)
    trait, risen = book.traits[0], book.characteristics[0]
    more = {"name": "Fox", "game": "g1"}
    events = (
        a_happening("advance", 20, 2, key=trait.key, how="advance", **more),
        a_happening("rose", 21, 2, key=risen.key, amount=-1, **more),
        a_happening("promoted", 22, 2, key="chef", how="advance", **more),
        a_happening("gained", 23, 2, key=trait.key, **more),
    )
    game = a_game(1, a_side("reds"), a_side("blues", "loser"))
    season = a_past(book, game, gangs=(a_gang("reds", events=events), a_gang("blues")))
    told = list_lines(season, UTC)
    assert [line for line in told if line.kind not in ("advance", "rose")] == list(
        chronicle(season, UTC)
    )
    fates = [line for line in told if line.kind in ("advance", "rose", "promoted")]
    assert [brief(book, line) for line in fates] == [
        f"Fox gained {localize(trait.name)}.",
        f"Fox: {localize(risen.name)} −1 for good.",
        "Fox was promoted to Chief.",
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["died", "left", "promoted", "suffered", "dismissed", "recovered"]),
            st.integers(1, 5),
            st.integers(0, 5),
        ),
        max_size=12,
    ),
    st.lists(st.integers(0, 6), max_size=6),
)
def test_random_past_is_narrated_once_newest_day_first(
    happened: list[tuple[str, int, int]], played: list[int]
) -> None:
    games = [
        a_game(number, a_side("reds"), a_side("blues", "loser"), day=day)
        for number, day in enumerate(played)
    ]
    events = tuple(
        a_happening(kind, number, member, key="captured", game=f"g{game}" if game else "")
        for number, (kind, member, game) in enumerate(happened)
    )
    season = a_past(shipped(DEEP), *games, gangs=(a_gang("reds", events=events), a_gang("blues")))
    lines = chronicle(season, UTC)
    assert len({line.key for line in lines}) == len(lines)
    assert all(one.day >= other.day for one, other in pairwise(lines))
    assert sum(line.kind == "won" for line in lines) == len(games)
    for line in lines:
        sentence = plain(season.book, line)
        assert sentence.endswith((".", "”"))
        assert not re.search(r"%\(|None", sentence)
    assert newest(lines, 1000) == sorted(
        newest(lines, 1000), key=lambda line: line.at, reverse=True
    )


@pytest.fixture(autouse=True)
def _english(settings) -> None:
    settings.LANGUAGE_CODE = "en"


def test_joining_names_the_player_of_a_namesake_once() -> None:
    first, second = a_gang("crows"), replace(a_gang("otters"), name="Crows")
    season = a_past(shipped(DEEP), gangs=(first, second, a_gang("herons")))
    said = [plain(season.book, line) for line in chronicle(season, UTC)]
    assert "Crows (crows-player) joined the campaign." in said
    assert "Crows (otters-player) joined the campaign." in said
    assert "Herons (herons-player) joined the campaign." in said
    assert not any(line.count("player") > 1 for line in said)


def test_undone_game_names_the_players_of_namesakes() -> None:
    gangs = (a_gang("crows"), replace(a_gang("otters"), name="Crows"))
    struck = a_game(1, a_side("crows"), a_side("otters", "loser", name="Crows"), struck_by="bob")
    season = a_past(shipped(DEEP), gangs=gangs, struck=(struck,))
    [line] = [line for line in chronicle(season, UTC) if line.kind == "taken_back"]
    assert isinstance(line.event, Undoing)
    assert line.event.title == "Crows (crows-player) – Crows (otters-player)"
