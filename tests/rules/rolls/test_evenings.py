"""Rules about turns, morale and the end of a game, each with its phase, alarm, state, track,
roll or mark. Every rule has a row, and every such row has a rule."""

from __future__ import annotations

import pytest

from rules.book.model import Book
from tests.rules.conftest import BOOKS
from tests.world.gangs import shipped

PROCEDURES: dict[str, dict[str, str]] = {
    "blackwater-gulch": {
        "each turn both gangs roll a D6, ties again; the winner chooses who begins": (
            "phase start, alarm initiative, roll initiative"
        ),
        "then one figure each in turn, once a turn": "phase activations, activation alternating",
        "an activation begins with its upkeep: morale, fire": (
            "phase activations, alarm morale, alarm fire"
        ),
        "a gang tests from the start of a turn if it has fewer standing and lost half or more": (
            "phase start, alarm morale"
        ),
        "each figure rolls Int dice in its upkeep": "alarm morale, roll morale",
        "who fails flees to the nearest edge, this turn": "state fleeing",
        "morale is tested anew each turn": "alarm morale, state fleeing",
        "who is out of action or has fled counts as lost": "mark out, alarm morale",
        "at no health points a figure is out of action": "life hp, mark out",
        "three luck dice a game, spent on dice or re-rolls": "tick luck, spend luck_die_hit",
        "a gambler's re-roll": "tick gamblers_luck, spend gambler_hit",
        "luck is lost when the leader goes out of action": "alarm luck_lost",
        "who is set alight burns at each upkeep until it is put out": (
            "state burning, alarm fire, roll burning, state no_attack"
        ),
        "a doctor revives once a game": "roll revive, state revived",
        "some scenarios are decided at the end of a turn": "phase end",
        "manhunt: the wanted figure or the hunter is out at the end of a turn": (
            "alarm hunt, alarm wanted_out, alarm hunter_out, state wanted, state hunter"
        ),
        "stay of execution: the freed captive is away, or out at the end of a turn": (
            "alarm execution, alarm captive_away, alarm captive_out, state freed"
        ),
        "gold rush: each side places a D6 of nuggets": "alarm nuggets, roll nuggets",
        "gold rush: as many nuggets are carried as one is strong": "track carried_nuggets",
        "gold that is taken off counts": "tally nuggets",
        "a game ends when one gang is out or fled": "alarm nobody_left",
    },
    "cran": {
        "house: loot, one token for each figure": "track loot_token",
        "activation cards: half the posse, rounded up, one more while the boss is able": (
            "phase cards, track cards, roll cards"
        ),
        "the higher card goes first": "phase activations, activation free",
        "from the second turn on, recovery for each own figure that is down": (
            "phase recovery, alarm recovery, roll recovery"
        ),
        "shaken: grit one size smaller; shaken again is down": "state shaken",
        "down only crawls": "state down, action crawl",
        "ready again by standing up, shaken": "roll recovery, state shaken",
        "a casualty is removed": "mark casualty",
        "a jammed weapon is cleared for an action": "state jammed, roll jam, action clear",
        "LeMat: once a game": "tick lemat_shot",
        "at half or less of the starting number, rounded down: nerve test": (
            "phase end, alarm nerve, roll nerve"
        ),
        "no success: all leave": "mark fled, roll nerve",
        "who ended down tests grit afterwards": "mark down, roll ended_down",
        "eight turns": "pace 8, alarm last_turn",
        "tokens are placed first": "alarm tokens_placed",
        "loot held at the end": "tally loot",
        "a game ends when nobody is left": "alarm nobody_left",
    },
    "du-sang-sur-la-lame": {
        "the dead of the last turn are removed": "phase start, alarm remove_dead",
        "their owner discards their cost from the purse": "track purse",
        "the purse is twelve, six with more than two players": "track purse",
        "each turn it is full again, and what is unspent is lost": "track purse",
        "initiative: two dice, the highest starts": "phase start, alarm initiative",
        "one figure each in turn, once a turn, paid first": (
            "phase activations, activation alternating, activation purse"
        ),
        "a failed test ends the activation": "roll climb",
        "on watch until used or until the turn ends": "state on_watch, action watch",
        "the first wound is a marker, the second removes": "life wounds, mark dead",
        "a unit loses its figures one by one": "life wounds",
        "in a duel one leaves only by disengaging": "state engaged, roll disengage",
        "the charged enemy has -1 in the duel of the charge": "state charging, roll charge",
        "heavy loads and chains": "state loaded, state chained",
        "a double one: the weapon is unusable for the game": "roll shot",
        "six turns": "pace 6, alarm last_turn",
        "a game ends when a band cannot fight on": "alarm nobody_left",
        "the spy is revealed from turn 3": "alarm spy_revealed",
        "the notable walks as each turn starts": "alarm notable_walks",
        "the game ends when the notable is killed": "alarm notable_dead",
        "the game ends when the prisoner is freed or killed": "alarm prisoner_gone",
        "each renegade in ambush has +1 on the first attack": "alarm ambush_laid, state in_ambush",
        "a dead leader settles the score": "alarm score_settled",
    },
    "au-un-pour-un": {
        "initiative each turn: a D6 and the underlings in play": (
            "phase start, alarm initiative, alarm initiative_of_many"
        ),
        "the mad test their command at the start of the turn": (
            "alarm madness, roll madness, state raving"
        ),
        "first wave: a D6 of figures": (
            "phase first_wave, alarm wave, roll wave, activation sides"
        ),
        "second wave: all figures left": "phase second_wave",
        "two or three action points each turn": "track action_points, activation action_points",
        "no life left is out of action, below is dead": "life pv, mark out, mark killed",
        "rout: a band that lost its chief this turn or more than half": ("phase end, alarm rout"),
        "every figure still up tests, the highest command first": "alarm rout, roll rout",
        "failed: walks to the edge, neither charges nor shoots": "state routing",
        "still there at the end of the next turn, it may test again": "alarm rout, state routing",
        "a charge, its tests, and contact": (
            "roll charge, roll charged_test, state unready, roll contact, state charging"
        ),
        "ammunition when games follow without rest": "roll ammunition, state empty",
        "first aid once a game": "tick first_aid, roll first_aid",
        "a potion of strength, a first wound ignored": "state strengthened, state protection_spent",
        "victory points for chiefs, lieutenants and underlings": (
            "tally chiefs_out, tally lieutenants_killed, tally underlings_out"
        ),
        "a game ends when nobody is left": "alarm nobody_left",
        "a rescue: the captive, the other guards, the end": (
            "state captive, state freed, roll open_cell, alarm guards_arrive, alarm captive_gone"
        ),
    },
    "zombstone": {
        "upkeep: hands are refilled to five, three without a star": (
            "phase upkeep, track cards, roll upkeep"
        ),
        "an Old Chap draws one more": "track cards",
        "initiative: one poker die each, or a card": "phase initiative, alarm initiative",
        "one figure or group of extras each, two actions": (
            "phase activations, activation alternating, activation squads"
        ),
        "the first red cartridge: Wounded, and guts at once": (
            "state wounded, alarm wounded, roll guts"
        ),
        "all cartridges ticked is out": "life barrel, mark hs",
        "a star put out: everybody of the band tests guts": "alarm star_out",
        "a failed guts test: runs": "state fleeing, roll guts",
        "its next activation: a new test; removed if out of cover": "alarm come_round, mark fled",
        "a Jeune premier keeps one cartridge on 4 or more": (
            "alarm last_cartridge, roll last_cartridge"
        ),
        "a Grand Méchant passes damage on once": "state spared, roll stand_in",
        "an Antihéros takes an extra's activation": (
            "state stealing_the_scene, state overlooked, action steal_the_scene"
        ),
        "a Toubib unticks a cartridge once for each": "state patched, roll patch_up",
        "fallen stars count for the box office": "tally stars_fallen",
        "the dead walk: placed in turn, and moved when all others have acted": (
            "alarm zombies_placed, alarm zombies_walk"
        ),
        "the dead walk until none is left": "alarm no_zombie_left",
        "a game ends when nobody is left": "alarm nobody_left",
    },
}


def keeps(book: Book, what: str) -> bool:
    """Whether the rulebook has this row."""
    kind, _space, key = what.partition(" ")
    match kind:
        case "life":
            return book.life == key
        case "pace":
            return book.pace is not None and str(book.pace.turns) == key
        case "activation":
            activation = book.activation
            assert activation is not None
            squads = key == "squads" and activation.squads
            return key in (activation.order, activation.track) or squads
        case "tick":
            return key in {row.key for row in book.ticks}
        case "tally" | "mark":
            rows = book.campaign.tallies if kind == "tally" else book.campaign.marks
            return key in {row.key for row in rows}
    return key in getattr(book, kind)


@pytest.mark.parametrize("slug", PROCEDURES)
def test_every_rule_of_the_evening_is_in_the_rulebook(slug: str) -> None:
    book = shipped(slug)
    missing = {
        sentence: what
        for sentence, listed in PROCEDURES[slug].items()
        for what in listed.split(", ")
        if not keeps(book, what)
    }
    assert missing == {}


@pytest.mark.parametrize("slug", PROCEDURES)
def test_every_row_of_the_evening_has_a_rule(slug: str) -> None:
    book = shipped(slug)
    said = {what for listed in PROCEDURES[slug].values() for what in listed.split(", ")}
    kept = {f"phase {row.key}" for row in book.phases}
    kept |= {f"track {row.key}" for row in book.tracks}
    kept |= {f"alarm {row.key}" for row in book.alarms}
    assert kept - said == set()


def test_the_list_covers_every_rulebook() -> None:
    assert {*PROCEDURES} == {folder.name for folder in BOOKS.iterdir() if folder.is_dir()}
