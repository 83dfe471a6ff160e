"""Tables of old results as tools and people write them: each game counts once, and the page
explains every row.

A grammar writes a season that is known: with the signs, dates, results and spellings of a tool,
with rows that are no games between the others, and with several rows about one game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

import pytest

from campaigns.club.old_results.lines import (
    NAME,
    KnownGames,
    KnownSide,
    Mapped,
    ResultLine,
    names_in,
    read_lines,
    unknown_results,
)
from campaigns.club.old_results.reading import (
    Grid,
    fold_name,
    guess_columns,
    guess_order,
    has_headings,
    read_grid,
)
from tests.world.gangs import GOLD, shipped

TODAY = date(2026, 1, 1)
NAMES = ("Les Œufs", "Bêtes noires", "Crows", "The Long Riders", "Écorcheurs", "O’Neill’s 7")
# One of them is nobody's in the campaign.
STRANGER = NAMES[-1]


@dataclass(frozen=True)
class Played:
    """A game as it was: ``points`` of the first and of the second side."""

    day: date
    a: str
    b: str
    points: tuple[int, int]

    @property
    def turned(self) -> Played:
        """The same game from the other side's point of view."""
        return Played(self.day, self.b, self.a, self.points[::-1])

    @property
    def winner(self) -> str:
        """The winner's name; "" for a draw."""
        first, second = self.points
        return "" if first == second else self.a if first > second else self.b


ENGLISH = "January February March April May June July August September October November December"
FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
SHORT = "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."

DATES: Mapping[str, Callable[[date], str]] = {
    "ISO": date.isoformat,
    "day first": lambda day: f"{day:%d/%m/%Y}",
    "dots": lambda day: f"{day.day}.{day.month}.{day.year}",
    "month first": lambda day: f"{day.month}/{day.day}/{day.year}",
    "month first, short": lambda day: f"{day:%m-%d-%y}",
    "run together": lambda day: f"{day:%Y%m%d}",
    "run together, day first": lambda day: f"{day:%d%m%Y}",
    "instant": lambda day: f"{day}T19:30:00Z",
    "instant with an offset": lambda day: f"{day}T20:30:00.000+01:00",
    "with a zone": lambda day: f"{day:%d/%m/%Y} 20:30 CET",
    "with an hour": lambda day: f"{day:%d/%m/%Y} à 20h30",
    "American": lambda day: f"{ENGLISH.split()[day.month - 1]} {day.day}, {day.year}, 8:30 PM",
    "English": lambda day: f"{day.day} {ENGLISH.split()[day.month - 1][:3]} {day.year}",
    "French": lambda day: f"{day.day} {FRENCH.split()[day.month - 1]} {day.year}",
    "French, short": lambda day: f"{day.day} {SHORT.split()[day.month - 1]} {day.year}",
}


def by_score(played: Played, dice: Random) -> str:
    return dice.choice(("{}-{}", "{} : {}", "{}–{}", "{} à {}")).format(*played.points)


def by_word(played: Played, dice: Random) -> str:
    words = {
        played.a: ("Win", "victoire", "V", "1"),
        played.b: ("Loss", "Défaite", "2"),
        "": ("Draw", "Égalité", "nul", "X"),
    }
    return dice.choice(words[played.winner])


def by_name(played: Played, dice: Random) -> str:
    return respelled(played.winner, dice) if played.winner else "draw"


RESULTS = {"score": by_score, "word": by_word, "name": by_name}
HEADS = {
    "en": ("Date", "Home", "Away", "Result", "Note"),
    "fr": ("Jour", "Joueur", "Adversaire", "Résultat", "Remarque"),
    "points": ("Date", "Player 1", "Player 2", "Points 1", "Points 2"),
}


def respelled(name: str, dice: Random) -> str:
    """The name as somebody else types it."""
    ways: Sequence[Callable[[str], str]] = (
        str,
        str.upper,
        str.lower,
        lambda text: f" {text.replace(' ', '  ')} ",
        lambda text: text.replace("Œ", "Oe").replace("ê", "e").replace("É", "E"),
        lambda text: text.replace("’", "'").replace(" ", "\u00a0"),
    )
    return dice.choice(ways)(name)


def season(dice: Random, *, has_scores: bool) -> list[Played]:
    """Games of which some are on one day between the same two, with results that differ."""
    start = date(2024, dice.randint(1, 12), dice.randint(13, 28))
    games = [Played(start, NAMES[0], NAMES[1], (3, 1))]
    for _number in range(dice.randint(0, 25)):
        day = start + timedelta(days=dice.randint(0, 300))
        a, b = dice.sample(NAMES, 2)
        games.append(Played(day, a, b, (dice.randint(0, 4), dice.randint(0, 4))))
        if dice.random() < 0.2:
            games.append(replace(games[-1], points=(games[-1].points[0] + 5, 1)))
    if dice.random() < 0.5:
        games.sort(key=lambda game: game.day)
    # Where only winners are written, two games with one winner look the same.
    told: dict[object, Played] = {}
    for game in games:
        points = {game.a: game.points[0], game.b: game.points[1]}
        result = frozenset(points.items()) if has_scores else game.winner
        told.setdefault((game.day, frozenset(points), result), game)
    return list(told.values())


@dataclass
class Table:
    """A table, its games, and the numbers of its rows by what they are."""

    text: str
    games: list[Played]
    told: Counter[str]


def write(dice: Random) -> Table:
    style = dice.choice((*RESULTS, "points"))
    games = season(dice, has_scores=style in ("score", "points"))
    heads = HEADS["points" if style == "points" else dice.choice(("en", "fr"))]
    write_date = DATES[dice.choice(list(DATES))]
    separator = dice.choice((";", ",", "\t"))
    told: Counter[str] = Counter()
    rows: list[Sequence[str]] = []

    def add(kind: str, *cells: str) -> None:
        told[kind] += 1
        rows.append(cells)

    def tell(kind: str, game: Played) -> None:
        about = write_date(game.day), respelled(game.a, dice), respelled(game.b, dice)
        if style == "points":
            half = dice.choice((".0", ",0", ""))
            add(kind, *about, *(f"{points}{half}" for points in game.points))
        else:
            add(kind, *about, RESULTS[style](game, dice), dice.choice(("", "=rain", "a; b, c")))

    def noise() -> None:
        day, name = write_date(dice.choice(games).day), respelled(dice.choice(NAMES), dice)
        nobody = dice.choice(("BYE", "bye 1", "Exempt", "exempté", "Free", "–", "-", "Repos"))
        both = [name, nobody] if dice.random() < 0.5 else [nobody, name]
        match dice.choice(("heading", "total", "bye", "unfought", "title", "pair", "blank")):
            case "heading":
                add("left", *(head.upper() if dice.random() < 0.5 else head for head in heads))
            case "total":
                add(
                    "left",
                    dice.choice(("Total", "Totaux :", "Grand total", "Sous-total")),
                    "",
                    "",
                    "12",
                )
            case "bye":
                add("left", day, *both, dice.choice(("", "3", "1")))
            case "unfought" if style != "points":
                words = (
                    "walk-over",
                    "Walkover",
                    "W.O.",
                    "forfait",
                    "No-show",
                    "3-0 (forfait)",
                    "bye",
                )
                add("left", day, name, respelled(dice.choice(NAMES), dice), dice.choice(words))
            case "title":
                add("left", dice.choice(("Round 3", "Saison 2024", "*****", "17")))
            case "pair":
                add("left", day)
            case _:
                told["blank"] += 1
                rows.append(("",) * dice.choice((1, 5)))

    for game in games:
        while dice.random() < 0.3:
            noise()
        tell("game", game)
        while dice.random() < 0.15:
            tell("twin", dice.choice((game, game.turned)))
    for game in dice.sample(games, len(games) // 5):
        tell("twin", dice.choice((game, game.turned)))
    tail = ["" for _ in range(dice.randint(0, 3))]
    body = [
        separator.join(f'"{cell}"' if set(cell) & set(";,\t") else cell for cell in row)
        for row in (heads, *rows)
    ]
    first = dice.choice(("", "\ufeff", "sep=" + separator + "\n"))
    return Table(first + dice.choice(("\n", "\r\n")).join([*body, *tail]), games, told)


def read(grid: Grid, known: KnownGames, counted: frozenset[str] = frozenset()) -> list[ResultLine]:
    """The lines as the page reads them, with every name explained."""
    assert has_headings(grid)
    columns = guess_columns(grid, headed=True)
    place = columns["date"]
    order = guess_order(row[place] for row in grid.rows if place < len(row))
    mapped = Mapped(columns, order=order, counted=counted)
    keys = {fold_name(name): name for name in NAMES}
    names = names_in(grid, mapped)
    assert all(fold_name(name) in keys for name in names) or counted
    chosen = {name: keys.get(fold_name(name), NAME) for name in names}
    chosen |= {name: NAME for name in names if fold_name(name) == fold_name(STRANGER)}
    assert not unknown_results(grid, mapped) or counted
    mapped = replace(mapped, names=chosen)
    return read_lines(grid, mapped, shipped(GOLD), TODAY, known)


def facts(played: Played | ResultLine) -> tuple[object, ...]:
    """A game apart from the order of its sides: its day, its sides and its winner."""
    sides = frozenset((fold_name(played.a), fold_name(played.b)))
    if isinstance(played, Played):
        return played.day, sides, fold_name(played.winner)
    named = {"a": played.a, "b": played.b}
    return played.day, sides, fold_name(named.get(str(played.winner), ""))


@pytest.mark.parametrize("seed", range(80))
def test_each_game_counts_once_and_each_row_is_explained(seed: int) -> None:
    table = write(Random(f"table {seed}"))
    grid = read_grid(table.text)
    lines = read(grid, {})
    assert len(lines) == len(grid.rows) - 1 == table.told.total() - table.told["blank"]
    assert [line.mistakes for line in lines if line.mistakes] == []
    good = Counter(facts(line) for line in lines if line.is_good)
    assert good == Counter(facts(game) for game in table.games)
    left = [line for line in lines if line.is_left]
    assert all(line.reason and line.may_count for line in left)
    assert len(left) == table.told["left"] + table.told["twin"]
    assert len({line.key for line in lines}) == len(lines)
    assert grid.empty >= 0 and grid.numbers == tuple(sorted({*grid.numbers}))


@pytest.mark.parametrize("seed", range(20))
def test_stored_games_are_known_from_either_side(seed: int) -> None:
    dice = Random(f"known {seed}")
    table = write(dice)
    stored = [game for game in table.games if dice.random() < 0.5]
    known: dict[date, list[tuple[KnownSide, KnownSide]]] = {}
    for game in stored:
        sides = [
            KnownSide("" if name == STRANGER else name, frozenset({fold_name(name)}))
            for name in (game.a, game.b)
        ]
        dice.shuffle(sides)
        known.setdefault(game.day, []).append((sides[0], sides[1]))
    lines = [line for line in read(read_grid(table.text), known) if line.is_good]
    met = {(game.day, frozenset((game.a, game.b))) for game in stored}
    for line, game in zip(lines, table.games, strict=True):
        assert line.known == ((game.day, frozenset((game.a, game.b))) in met)


@pytest.mark.parametrize("seed", range(20))
def test_every_row_that_is_left_out_can_count_all_the_same(seed: int) -> None:
    grid = read_grid(write(Random(f"counted {seed}")).text)
    keys = frozenset(line.key for line in read(grid, {}) if line.is_left)
    again = read(grid, {}, keys)
    assert not [line for line in again if line.is_left]
    assert {line.key for line in again if line.reason} <= keys
    assert all(line.is_good or line.mistakes for line in again)


def test_headings_with_words_of_their_own_are_recognised_when_they_repeat() -> None:
    grid = read_grid("When;Us;Them;End\n1.5.2025;Crows;Bears;3-1\nWHEN;us;Them;End;")
    columns = dict(zip(("date", "a", "b", "result"), range(4), strict=True))
    mapped = Mapped(columns, names={"Crows": "new", "Bears": "new"})  # type: ignore[arg-type]
    game, heading = read_lines(grid, mapped, shipped(GOLD), TODAY, {})
    assert game.is_good and heading.reason == "This row repeats the headings."


def test_gangs_of_one_name_are_told_apart_by_their_keys() -> None:
    sides = [KnownSide(key, frozenset({"crows"})) for key in ("other", "key-2")]
    known = {date(2025, 5, 1): [(sides[0], sides[1])]}
    grid = read_grid("Date;A;B;Result\n2025-05-01;Crows;Bears;3-1")
    mapped = Mapped(guess_columns(grid, headed=True), names={"Crows": "key-1", "Bears": "key-2"})
    (line,) = read_lines(grid, mapped, shipped(GOLD), TODAY, known)
    assert not line.known


def test_another_result_on_the_same_day_counts_with_a_warning() -> None:
    grid = read_grid("Date;A;B;Result\n1.5.2025;Crows;Bears;3-1\n1.5.2025;bears;CROWS;3-1")
    mapped = Mapped(guess_columns(grid, headed=True), names={"Crows": "new", "Bears": "new"})
    first, second = read_lines(grid, mapped, shipped(GOLD), TODAY, {})
    assert (first.warning, second.is_good) == ("", True)
    assert second.warning.startswith("Row 2 has another game of these two on this day")
