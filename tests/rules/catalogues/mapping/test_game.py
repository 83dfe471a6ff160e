"""The rest of an imported game: profiles, texts, roles, options, notes, keys, and a gang of it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from common.wording.sentences import Plural
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.fold import fold
from gangs.engine.shelf import kit
from gangs.engine.validation import findings
from gangs.engine.valuation import newcomer
from rules.book.model import Book
from rules.catalogues.mapping import guess_answers, make_game
from rules.catalogues.model import (
    CatalogueLink,
    Category,
    Characteristic,
    Choice,
    Info,
    InfoLink,
    Profile,
    Publication,
    Source,
)
from rules.catalogues.notes import SENTENCES, UNKNOWN, sentence
from rules.catalogues.results import Imported, Note
from rules.editor.data import assemble, take_apart_data
from rules.loading.reader import RawBook, parse
from tests.rules.catalogues.mapping.small import (
    answers,
    at_least,
    at_most,
    blade,
    body,
    catalogue,
    change,
    codes,
    entry,
    find_note,
    group,
    has,
    is_a,
    link,
    model,
    row,
    rule,
    system,
)

SWORD = entry("sword", 10, info=blade("sword"), limits=[at_most(1)])


def make(*roots: Choice, shared: Sequence[Choice] = (), **more: Any) -> Imported:
    """Return the game of one catalogue, by usual answers and others."""
    made = catalogue("reds", *roots, shared=tuple(shared))
    return make_game(system(made), answers(**more))


def with_body(own_id: str, move: str, skill: str = "3+", wounds: str = "2") -> Choice:
    return model(own_id, 20, info=Info(profiles=(body(own_id, move, skill, wounds),)))


# Profiles


def test_values_that_are_numbers_everywhere_are_numbers() -> None:
    made = make(with_body("a", '5"'), with_body("b", '12"', "5+"), life="w")
    move, skill, _wounds = made.data["characteristics"]
    assert (move["kind"], move["unit"]) == ("number", '"')
    assert (skill["unit"], skill["better"]) == ("+", "low")
    assert row(made, "ranks", "b")["values"] == {"move": 12, "skill": 5, "wounds": 2}
    assert made.data["life"] == "wounds"


def test_values_of_which_one_is_no_number_are_words() -> None:
    made = make(with_body("a", '5"'), with_body("b", "D6", "-"))
    move, skill, _wounds = made.data["characteristics"]
    assert [one["name"]["en"] for one in move["words"]] == ['5"', "D6"]
    assert skill["kind"] == "number"
    assert row(made, "ranks", "b")["values"] == {"move": "d6", "wounds": 2}


def test_words_that_are_too_many_have_a_note() -> None:
    bodies = [with_body(f"a{number}", f"{number}D6") for number in range(102)]
    made = make(*bodies)
    move, *_others = made.data["characteristics"]
    assert len(move["words"]) == 100
    note = find_note(made, "words_cut")
    assert (note.place, note.values) == (("Model", "Move"), {"name": "Move", "count": "2"})
    assert [one.code for one in make(*bodies[:100]).notes] == []


def test_a_profile_is_worked_out_for_the_rank() -> None:
    own = replace(body("man"), modifiers=(change("increment", "mv", 2, is_a("heroes", "self")),))
    info = Info(profiles=(own,))
    made = make(model("man", 20, info=info), model("hero", 30, info=info, of=["heroes"]))
    assert row(made, "ranks", "man")["values"]["move"] == 5
    assert row(made, "ranks", "hero")["values"]["move"] == 7


def test_an_option_that_raises_a_characteristic_has_an_effect() -> None:
    own = replace(body("man"), modifiers=(change("increment", "mv", 3, has("horse")),))
    made = make(model("man", 20, entry("horse", 9, limits=[at_most(1)]), info=Info((own,))))
    assert row(made, "items", "horse")["effects"] == [
        {"kind": "add", "characteristic": "move", "amount": 3}
    ]
    assert codes(made) == []


def test_profiles_of_weapons_are_columns_and_further_ones_modes() -> None:
    two = Info((*blade("shot", "24", "4").profiles, *blade("butt", "1", "+1").profiles))
    made = make(model("man", 20, entry("gun", 9, info=two)))
    gun = row(made, "items", "gun")
    assert (gun["group"], gun["columns"]) == ("weapon", {"range": "24", "strength": "4"})
    assert gun["modes"][0]["columns"] == {"range": "1", "strength": "+1"}
    columns = row(made, "groups", "weapon")["columns"]
    assert [one["key"] for one in columns] == ["range", "strength"]


def test_profiles_of_an_item_that_has_too_many_are_named() -> None:
    ways = tuple(replace(blade(f"w{n}").profiles[0], characteristics=()) for n in range(20))
    made = make(
        model("man", 10, entry("staff", 5, info=Info(profiles=(*blade("s").profiles, *ways))))
    )
    notes = [one for one in made.notes if one.code == "row_cut"]
    assert len(row(made, "items", "staff")["modes"]) + 1 + len(notes) == 21
    assert notes[0].place == ("Man", "Staff", "W12") and notes[0].key == "staff"


def test_entries_that_say_the_same_are_one_item() -> None:
    one = entry("s1", 10, name="Sword", info=blade("sword"))
    other = entry("s2", 10, name="Sword", info=Info((replace(blade("sword").profiles[0], id="x"),)))
    made = make(model("man", 20, one), model("hero", 30, other))
    assert made.ids["s1"] == made.ids["s2"] == ("items", "sword")


def test_categories_of_options_are_tags() -> None:
    made = make(model("man", 20, entry("bow", 5, of=["troops"])))
    assert row(made, "items", "bow")["tags"] == ["troops"]
    assert row(made, "tags", "troops")["name"]["en"] == "Troops"


def test_rules_and_weapons_of_a_member_come_with_the_rank() -> None:
    info = Info((body("hound"), *blade("teeth").profiles), (rule("fear"),))
    made = make(model("hound", 20, info=info), model("man", 10, SWORD))
    assert row(made, "ranks", "hound")["traits"] == ["fear"]
    assert row(made, "traits", "fear")["sold"] is False
    (kit,) = [one for one in made.data["offers"] if one.get("included")]
    assert (kit["of"], kit["items"]) == ({"ranks": ["hound"]}, ["teeth"])


def test_a_link_to_a_rule_is_followed_and_a_broken_one_named() -> None:
    info = Info(
        (body("man"),), links=(InfoLink("l", "", "fear", "rule"), InfoLink("x", "X", "no", "rule"))
    )
    reds = catalogue("reds", model("man", 20, info=info), shared_info=Info(rules=(rule("fear"),)))
    made = make_game(system(reds), answers())
    assert row(made, "ranks", "man")["traits"] == ["fear"]
    assert find_note(made, "broken_link").values == {"target": "no"}


def test_rules_of_one_name_with_different_texts_are_all_explained() -> None:
    reds, blues = (
        catalogue(own_id, model(f"man-{own_id}"), info=Info(rules=(rule("fear", words),)))
        for own_id, words in (("reds", "They shake."), ("blues", "They run."))
    )
    terms = make_game(system(reds, blues), answers()).data["glossary"]
    assert [one["text"]["en"] for one in terms] == ["They shake.", "They run."]
    assert len({one["key"] for one in terms}) == 2


def test_without_texts_only_names_numbers_and_pages_come_over() -> None:
    ability = Profile(
        "ab", "Ward", "ability", "", (Characteristic("tx", "Description", "Secret " * 9),)
    )
    own = Info((body("man"), ability), (rule("fear", "Secret"),))
    sword = replace(SWORD, info=Info(SWORD.info.profiles, (rule("keen", "Secret"),)))
    reds = catalogue(
        "reds",
        model("man", 20, sword, info=own, source=Source("book", "12")),
        publications=(Publication("book", "The Tin Book", "TB"),),
        info=Info(rules=(rule("all", "Secret"),)),
    )
    made = make_game(system(reds), answers(with_texts=False))
    assert "Secret" not in str(made.data)
    assert row(made, "ranks", "man")["source"] == "tb p.12"
    assert made.data["sources"]["tb"]["title"] == "The Tin Book"
    assert row(made, "items", "sword")["columns"] == {"range": "1", "strength": "+1"}
    assert row(made, "items", "sword")["text"]["en"] == "Keen"


def test_texts_are_in_the_language_of_the_catalogues() -> None:
    made = make(model("man", 20), language="de")
    assert made.data["languages"] == ["de"]
    assert made.data["summary"] == {"de": "Aus den Katalogen eines Listenbau-Programms."}


@pytest.mark.parametrize("language", ["es", "pt-br", "", "English"])
def test_every_language_makes_a_rulebook(language: str) -> None:
    made = make(model("man", 20, SWORD), language=language)
    assert parse(RawBook(made.data, "made")).ranks[0].price == 20


# Entries that are offered


def test_what_is_hidden_is_left_out_unless_a_rank_sees_it() -> None:
    helmet = entry(
        "helmet", 3, is_hidden=True, modifiers=(change("set", "hidden", "false", is_a("hero")),)
    )
    made = make(
        model("hero", 80, link("a", "helmet")),
        model("man", 20, link("b", "helmet")),
        shared=[helmet],
    )
    assert list(made.ids) == ["hero", "a::helmet", "man", "helmet"]
    assert codes(made) == []


def test_what_only_some_lists_hide_is_there_with_a_note() -> None:
    helmet = entry("helmet", 3, modifiers=(change("set", "hidden", "true", has("man", "roster")),))
    made = make(model("hero", 80, helmet), model("man", 20))
    assert made.ids["helmet"] == ("items", "helmet")
    note = find_note(made, "hidden_depends")
    assert (note.place, note.table, note.key) == (("Hero", "Helmet"), "items", "helmet")


def test_roots_of_linked_catalogues_are_imported_as_they_say() -> None:
    base = catalogue("base", model("guide", 5), model("own", 6, is_imported=False), is_library=True)
    reds = catalogue("reds", model("man", 20), links=(CatalogueLink("l", "", "base", True),))
    blues = catalogue("blues", model("boy", 9), links=(CatalogueLink("k", "", "base", False),))
    made = make_game(system(reds, blues, base), answers())
    assert {one["key"]: one["when"]["faction"] for one in made.data["ranks"]} == {
        "man": ["reds"],
        "guide": ["reds"],
        "boy": ["blues"],
    }


def test_a_broken_link_is_named_with_its_place() -> None:
    made = make(
        model(
            "man",
            20,
            link(
                "l",
                "nowhere",
            ),
        )
    )
    note = find_note(made, "broken_link")
    assert (note.place[0], note.values) == ("Man", {"target": "nowhere"})


def test_records_of_a_campaign_are_left_out_with_one_note_for_each_role() -> None:
    scars = group("scars", *(entry(f"scar{n}") for n in range(5)))
    made = make(
        model("man", 20, scars, entry("xp", limits=[at_most(99)]), SWORD),
        roles={"scars": "injury", "xp": "experience"},
    )
    assert [one["key"] for one in made.data["items"]] == ["sword"]
    assert codes(made) == ["role_experience", "role_injury"]


def test_a_leader_leads_and_there_is_one() -> None:
    made = make(model("man", 20), model("boss", 60), roles={"boss": "leader"})
    assert [one["key"] for one in made.data["ranks"]] == ["boss", "man"]
    assert made.data["ranks"][0]["leads"] is True
    (limit,) = [one for one in made.data["limits"] if one["kind"] == "count"]
    assert (limit["of"], limit["maximum"]) == ({"ranks": ["boss"]}, 1)


def test_a_change_to_unknown_things_has_a_note() -> None:
    made = make(model("man", 20, modifiers=(change("set", "mystery", 1),)))
    assert find_note(made, "unknown_modifier").values == {"field": "mystery"}


def test_rows_keep_their_keys_when_a_catalogue_is_reordered() -> None:
    first = entry("id-b", 1, name="Charm", info=blade("a"))
    second = entry("id-a", 2, name="Charm", info=blade("b"))
    one = make(model("man", 20, first), model("hero", 30, second))
    other = make(model("hero", 30, second), model("man", 20, first))
    assert one.ids == other.ids
    assert one.ids["id-a"] == ("items", "charm")


@pytest.mark.parametrize("name", ["x" * 300, "{count} %(name)s", "", "剣", "A\nB"])
def test_names_that_rulebooks_cannot_have_are_changed(name: str) -> None:
    made = make(model("man", 20, name=name, limits=[at_most(1, "roster")]))
    book = parse(RawBook(made.data, "made"))
    assert 0 < len(book.ranks[0].name.first) <= 80


# Notes and answers


def test_every_note_has_a_sentence_with_its_values() -> None:
    values = dict.fromkeys(
        ("count", "value", "price", "cost", "name", "field", "most", "table"), "3"
    )
    for code, message in SENTENCES.items():
        words = sentence(Note(code, (), values=values | {"table": "ranks"}))
        assert "%(" not in words
        assert isinstance(message, Plural) or "%" not in words
    assert str(sentence(Note("other", ()))) == str(UNKNOWN)


def test_guess_answers_finds_money_members_life_and_roles() -> None:
    advances = group("advances", entry("a1"), entry("a2"))
    boss = model(
        "boss",
        60,
        advances,
        entry("experience", limits=[at_most(90)]),
        group("serious injuries", entry("lost eye")),
        SWORD,
        of=["leader"],
    )
    reds = catalogue("reds", boss, info=Info(rules=(rule("r", "This is for all of the members."),)))
    guessed = guess_answers(system(reds, categories=(Category("leader", "Leader"),)))
    assert (guessed.money, guessed.worth) == ("pts", "pts")
    assert (guessed.member, guessed.life, guessed.language) == ("model", "w", "en")
    assert guessed.roles == {
        "leader": "leader",
        "advances": "rise",
        "experience": "experience",
        "serious injuries": "injury",
    }


def test_guess_answers_leaves_gear_with_such_a_name_in_the_list() -> None:
    advance = group("advanced weapons", entry("ray", 40), entry("beam", 30))
    promoted = entry("promoted", 25)
    guessed = guess_answers(system(catalogue("reds", model("man", 20, advance, promoted))))
    assert guessed.roles == {}


def test_guess_answers_reads_french_and_german() -> None:
    words = Info(
        rules=(rule("r", "Le guerrier est dans la bande et peut courir avec les autres."),)
    )
    french = catalogue(
        "reds", model("chef", 20, entry("expérience", name="Expérience")), info=words
    )
    guessed = guess_answers(system(french))
    assert (guessed.language, guessed.roles) == (
        "fr",
        {"chef": "leader", "expérience": "experience"},
    )
    german = catalogue("reds", model("anführer", 20, group("verletzungen", entry("narbe"))))
    assert guess_answers(system(german)).roles == {"anführer": "leader", "verletzungen": "injury"}


# A gang


def test_an_imported_game_opens_in_the_editor() -> None:
    made = make(model("boss", 60, SWORD), model("man", 20, entry("axe", 5)))
    book = parse(RawBook(made.data, "made"))
    again = assemble(take_apart_data(copy.deepcopy(made.data)))
    assert parse(RawBook(again, "made")).digest == book.digest


def test_a_gang_of_an_imported_game_costs_what_the_catalogue_says() -> None:
    helmet = entry("helmet", 4, limits=[at_least(1), at_most(1)])
    arms = group(
        "arms", SWORD, entry("axe", 5, info=blade("axe")), limits=[at_least(1), at_most(1)]
    )
    made = make(
        model("boss", 60, helmet, arms, limits=[at_least(1, "roster"), at_most(1, "roster")]),
        model("man", 20, arms),
        roles={"boss": "leader"},
    )
    book = parse(RawBook(made.data, "made"))
    entries = actions.found(book, "Tin men", {})
    for rank, item in (("boss", "sword"), ("man", "axe"), ("man", "axe")):
        entries += recruit(book, entries, rank, item)
    roster = fold(book, enumerate(entries, start=1))
    computed = ComputedGang.of(book, roster)
    assert computed.price == 60 + 4 + 10 + 2 * (20 + 5)
    assert findings(book, roster, computed) == ()


def recruit(book: Book, entries: Sequence[kinds.Entry], rank: str, item: str) -> list[kinds.Entry]:
    """Return the entries for a member with their kit and an item."""
    roster = fold(book, enumerate(entries, start=1))
    member = len(entries) + 1
    figure = newcomer(book, roster, rank)
    joined = kinds.Recruited(rank=rank, name=f"{rank} {member}")
    own = kit(book.under(roster.settings), figure, member, playing=False)
    return [joined, *own, kinds.Bought(item=item, member=member)]


def test_ranks_of_one_name_are_told_apart_by_their_categories() -> None:
    crew = model("hand", 14, name="Hand", of=["troops"])
    hired = model("hired", 18, name="Hand", of=["heroes"])
    lone = model("cook", 9, name="Cook", of=["troops"])
    made = make_game(system(catalogue("marsh", crew, hired, lone)), answers())
    names = {one["price"]: one["name"]["en"] for one in made.data["ranks"]}
    assert names == {14: "Hand (Troops)", 18: "Hand (Heroes)", 9: "Cook"}
