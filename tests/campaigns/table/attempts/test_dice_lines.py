"""Dice explain themselves: whose they are, for what, what they need and why; also when typed."""

from __future__ import annotations

import pytest
from django.http import QueryDict
from django.utils import translation

from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.dice_lines import DiceLine, DiceWords, describe_faces
from campaigns.table.attempts.roll import Faces, keep_dice, play_faces
from campaigns.table.attempts.text import TypedDice, type_dice
from campaigns.table.people import Names
from campaigns.table.text import describe
from gangs.text.formats import localize
from rules.book.model import Book
from rules.engine.playing import Missing, Played
from rules.odds.explaining import Watch
from tests.world.attempts import Bout, figure, table

FIGURES = {"1.1": "Agathe", "2.1": "Cassius"}


def words_of(bout: Bout, made: Attempt, book: Book) -> DiceWords:
    asked = made.question(bout.start, bout.now)
    return DiceWords(asked, Names(book, {}, FIGURES, {1: "Wolves", 2: "Dogs"}), made)


def lines(bout: Bout, made: Attempt, book: Book, faces: Faces) -> list[DiceLine]:
    words, watch = words_of(bout, made, book), Watch()
    played = play_faces(words.asked, faces, watch=watch)
    return words.lines(watch, played.throws)


def fates(line: DiceLine) -> list[tuple[str, str]]:
    return [(die.face, die.fate) for die in line.dice]


@pytest.fixture
def western(blackwater: Book) -> Bout:
    armed = figure("leader", "remington_army", profession="gambler")
    return Bout(table(blackwater, [armed], [figure("leader", "navy_revolver")]))


@pytest.fixture
def fortune(cran: Book) -> Bout:
    boss = figure("veteran", "revolver", "sword", traits=("boss",))
    return Bout(table(cran, [boss], [figure("veteran", "sword")]))


def test_line_says_who_rolls_for_what_and_why_so_high(western: Bout, blackwater: Book) -> None:
    shot = western.attempt("shot", "1.1", "2.1", "remington_army", cover="heavy")
    hit, save = lines(western, shot, blackwater, ((6,), (1, 1, 6, 4, 5)))
    assert hit.sentence == "Agathe rolls 1D6 to hit"
    assert hit.target.startswith("6+ (4, +") and "+2 Heavy cover" in hit.target
    assert hit.target.endswith("at most 6)")
    assert save.sentence == "Cassius rolls 5D6 in defence" and save.target == "4+ (Str 4)"
    assert fates(save) == [
        ("1", "bad"),
        ("1", "bad"),
        ("6", "good"),
        ("4", "good"),
        ("5", "good"),
    ]
    assert [die.words for die in save.dice[:3]] == ["failure", "failure", "success"]
    [dice] = save.numbers
    assert (dice.value, dice.parts[0]) == ("5D6", "DP 3") and len(dice.parts) == 2


def test_dice_that_are_thrown_again_are_struck_through(fortune: Bout, cran: Book) -> None:
    fight = fortune.attempt("combat", "1.1", "2.1", "sword", at_item="sword")
    asked = fight.question(fortune.start, fortune.now)
    faces: list[tuple[int, ...]] = []
    while True:
        try:
            play_faces(asked, tuple(faces))
            break
        except Missing as missing:
            faces.append((4, 7, 2, 2, 2, 2)[: missing.wanted.dice])
    first, again, *_rest = lines(fortune, fight, cran, tuple(faces))
    assert fates(first)[:3] == [("4", "bad"), ("7", "good"), ("2", "again")]
    assert first.dice[2].words == "rolled again"
    assert again.again and again.sentence == "Agathe rolls 1D8 again"


@pytest.mark.parametrize(
    ("traits", "rounds"),
    [(("lucky",), [""] * 3), (("lucky", "frenzied"), ["Round 1"] * 3 + ["Round 2"] * 2)],
)
def test_heading_of_a_round_stands_above_all_its_dice(
    du_sang: Book, traits: tuple[str, ...], rounds: list[str]
) -> None:
    """Dice that are rolled again are a round, too, which has no word in the rulebook."""
    fighter = figure("leader", "sabre", traits=traits)
    bout = Bout(table(du_sang, [fighter], [figure("leader", "sabre")]))
    words = words_of(bout, bout.attempt("duel", "1.1", "2.1", "sabre", at_item="sabre"), du_sang)
    faces: list[tuple[int, ...]] = []
    while True:
        watch = Watch()
        try:
            played = play_faces(words.asked, tuple(faces), ["lucky"], watch=watch)
        except Missing as missing:
            faces.append((1 if missing.wanted.step == "mine" else 3,) * missing.wanted.dice)
        else:
            break
    assert [line.round for line in words.lines(watch, played.throws)] == rounds


def test_sum_shows_the_total_that_is_hoped_for(fortune: Bout, cran: Book) -> None:
    save = fortune.attempt("save", "1.1", "2.1", hits_taken=2)
    [line] = lines(fortune, save, cran, ((5,),))
    assert line.sentence == "Cassius rolls 1D8 to save"
    assert line.target.startswith("6+ (4, +2") and fates(line) == [("5", "bad")]


def test_words_are_french_for_french_readers(western: Bout, blackwater: Book) -> None:
    shot = western.attempt("shot", "1.1", "2.1", "remington_army")
    with translation.override("fr"):
        hit = lines(western, shot, blackwater, ((1,),))[0]
    assert hit.sentence == "Agathe : 1D6 pour toucher"


@pytest.mark.parametrize(
    ("good", "words"),
    [({4, 5, 6}, "4+"), ({2, 3}, "2–3"), ({2}, "2"), ({1, 6}, "1, 6"), ((), "no face succeeds")],
)
def test_faces_are_described_in_short(good: set[int], words: str) -> None:
    assert describe_faces(good, 6) == words


def type_shot(bout: Bout, book: Book, *dice: str, lain: str = "") -> TypedDice | Played:
    data = QueryDict(mutable=True)
    data.setlist("dice", list(dice))
    data["lain"] = lain
    shot = bout.attempt("shot", "1.1", "2.1", "revolver", distance=6)
    words = words_of(bout, shot, book)
    return type_dice(
        data,
        words,
        lambda faces, kept, watch: play_faces(words.asked, faces, kept=kept, watch=watch),
    )


def test_typed_dice_have_a_box_each_and_the_same_words(fortune: Bout, cran: Book) -> None:
    typed = type_shot(fortune, cran)
    assert isinstance(typed, TypedDice) and typed.wanted is not None
    assert typed.wanted.sentence == "Agathe rolls 3D8 to hit" and typed.wanted.target == "5+"
    assert [(box.value, box.wrong) for box in typed.boxes] == [("", "")] * 3
    then = type_shot(fortune, cran, "8", "2", "3")
    assert isinstance(then, TypedDice) and then.wanted is not None
    assert then.wanted.sentence == "Cassius rolls 1D8 to save" and then.lain == "8 2 3"
    assert [fates(line) for line in then.lines] == [[("8", "good"), ("2", "bad"), ("3", "bad")]]


def test_wrong_face_is_explained_beside_its_box_and_keeps_the_rest(
    fortune: Bout, cran: Book
) -> None:
    typed = type_shot(fortune, cran, "8", "9", "")
    assert isinstance(typed, TypedDice) and typed.lain == ""
    assert [box.value for box in typed.boxes] == ["8", "9", ""]
    right, wrong, missing = (box.wrong for box in typed.boxes)
    assert right == "" and "9" in wrong and "8" in wrong and missing
    assert not typed.wrong


@pytest.mark.parametrize("dice", ["823", "8 2 3", " 8,2, 3"])
def test_dice_of_an_older_page_are_typed_in_one_field(fortune: Bout, cran: Book, dice: str) -> None:
    typed = type_shot(fortune, cran, dice)
    assert isinstance(typed, TypedDice) and typed.lain == "8 2 3"


def test_too_many_faces_in_one_field_keep_what_fits(fortune: Bout, cran: Book) -> None:
    typed = type_shot(fortune, cran, "8234")
    assert isinstance(typed, TypedDice) and typed.wrong
    assert [box.value for box in typed.boxes] == ["8", "2", "3"]


def test_dice_with_named_faces_are_shown_as_the_game_shows_them(zombstone: Book) -> None:
    """In their line, in the story and its undo, and on dice that are no hand; in both languages."""
    bout = Bout(table(zombstone, [figure("vedette", "winchester")], [figure("vedette", "poing")]))
    for roll, faces, english, french in (
        ("guts", ((1, 3, 4, 5, 6),), "9 J Q K A", "9 V D R A"),
        ("last_cartridge", ((4,),), "Q", "D"),
    ):
        made = bout.attempt(roll, "1.1")
        asked = made.question(bout.start, bout.now)
        names = Names(zombstone, {}, {"1.1": "Nell"}, {})
        watch, words = Watch(), DiceWords(asked, names, made)
        # Every die of a hand is kept.
        played = play_faces(asked, faces, kept=faces, watch=watch)
        rolled = keep_dice(made, played, thrown=True, is_open=False)
        for language, shown in (("en", english), ("fr", french)):
            with translation.override(language):
                line = words.lines(watch, played.throws)[0]
                assert " ".join(die.face for die in line.dice) == shown
                assert localize(zombstone.hand["poker"].name) in line.words
                assert "D6" not in line.sentence
                assert f"· {shown} " in describe(rolled, names).replace(" / ", " · ")


def test_faces_of_a_roll_with_other_dice_too_are_numbers(western: Bout, blackwater: Book) -> None:
    names = Names(blackwater, {}, {}, {})
    assert names.faces("shot", (1, 6)) == ["1", "6"] == names.faces("nothing", (1, 6))


@pytest.mark.parametrize(
    ("said", "english", "french"),
    [
        ({}, "the best 2 · −1 Wounded", "les 2 meilleurs · −1 Blessé"),
        (
            {"from_behind": 1},
            "the best 2 · +1 From behind, −1 Wounded",
            "les 2 meilleurs · +1 Dans le dos, −1 Blessé",
        ),
    ],
)
def test_sum_says_why_something_is_added(
    du_sang: Book, said: dict[str, int], english: str, french: str
) -> None:
    bout = Bout(table(du_sang, [figure("leader", "sabre")], [figure("leader", "sabre")]))
    bout.tap("counted", figure="1.1", track="wounds", by=-1)
    duel = bout.attempt("duel", "1.1", "2.1", "sabre", at_item="sabre", **said)
    for language, words in (("en", english), ("fr", french)):
        with translation.override(language):
            first, other = lines(bout, duel, du_sang, ((1, 3, 1, 1), (4, 5, 1, 1)))
        assert first.target == words
        assert other.target == words.partition(" · ")[0]
