"""The author's way through a game's tables: their order, and what each of them is for."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from rules.editor.places import is_dice_rows

# Tables under the question that leads to them, in the order in which authors fill them.
GROUPS: tuple[tuple[Promise, tuple[str, ...]], ...] = (
    (
        _("Who fights?"),
        ("characteristics", "ranks", "traits", "origins", "professions", "settings"),
    ),
    (
        _("With what?"),
        ("groups", "items", "tags", "offers", "adjustments", "roundings"),
    ),
    (
        _("What may a gang have?"),
        ("money", "rating", "budgets", "limits", "samples", "archetypes"),
    ),
    (
        _("What happens after a game?"),
        (
            "play",
            "campaign",
            "campaign.results",
            "campaign.steps",
            "campaign.marks",
            "tables",
            "conditions",
            "campaign.departures",
            "campaign.awards",
            "campaign.advancement",
            "campaign.advancements",
            "campaign.growth",
            "campaign.promotions",
            "campaign.successions",
            "campaign.recruiting",
        ),
    ),
    (
        _("What does a gang earn and hold?"),
        (
            "currencies",
            "campaign.tallies",
            "campaign.yields",
            "campaign.hauls",
            "campaign.underdog",
            "campaign.unfought",
            "holdings",
            "campaign.upkeep",
            "campaign.trophies",
        ),
    ),
    (
        _("How is a game set up and read up?"),
        ("scenarios", "deployments", "references", "glossary", "sources"),
    ),
    (
        _("How are dice rolled at the table?"),
        (
            "rolls",
            "modifiers",
            "circumstances",
            "procedures",
            "grids",
            "hands",
            "spends",
        ),
    ),
    (
        _("What does the phone keep at the table?"),
        (
            "pace",
            "phases",
            "activation",
            "actions",
            "states",
            "ticks",
            "tracks",
            "alarms",
            "cautions",
        ),
    ),
)

# Tables that nearly every game has: they are never folded away.
FIRST = {
    "characteristics",
    "ranks",
    "traits",
    "groups",
    "items",
    "limits",
    "tables",
    "conditions",
    "rolls",
    "scenarios",
    "campaign.results",
    "campaign.steps",
    "campaign.marks",
    "campaign.awards",
}
HINTS: dict[str, Promise] = {
    "characteristics": _(
        "The columns of a member’s profile, such as strength or speed. A new game begins with an"
        " example: change or remove it."
    ),
    "ranks": _(
        "The members that a gang can recruit: price, profile, and how far they can rise. A new game"
        " begins with two examples: change or remove them."
    ),
    "traits": _("Skills, gifts and powers that a member buys, learns or is born with."),
    "origins": _(
        "The kinds of gangs, such as peoples or factions. The first one brings the option “Origin”,"
        " with which a gang chooses."
    ),
    "professions": _("Callings within a rank, such as medic or gunner."),
    "settings": _(
        "Choices that players agree on: the kind of gang, or a house rule. Rows can depend on them."
    ),
    "groups": _("Tables of equipment, such as blades and guns, each with its own columns."),
    "items": _("Weapons, armour and gear. A weapon’s traits are its properties."),
    "tags": _("The names and meanings of the properties of items and traits."),
    "offers": _("Items that only some members may buy, or for another price than in the list."),
    "adjustments": _("Prices that rise or fall for some members, or for the first of a kind."),
    "roundings": _("How prices with halves are rounded."),
    "money": _("The currency of the gangs. Leave this out if nobody pays."),
    "rating": _("How much a gang is worth, to compare gangs."),
    "budgets": _("The money that a new gang may spend."),
    "limits": _(
        "Members and items that a gang must have or may not have. Each limit has a "
        "sentence for the player."
    ),
    "samples": _("Complete gangs to start with in one tap."),
    "archetypes": _("Complete members to recruit in one tap."),
    "play": _("How many gangs play a game: against each other, or together against the book."),
    "campaign": _("How gangs are ranked in a season."),
    "campaign.results": _("How a game can end, and what winner and loser are paid."),
    "campaign.steps": _(
        "The post-game, step by step: injuries, experience, advances, income, recruits …"
    ),
    "campaign.marks": _("How a member can end a game: out of action, fled, captured."),
    "tables": _("Tables to roll on, such as injuries. Each row says what happens."),
    "conditions": _("Injuries and other effects that stay with a member."),
    "campaign.departures": _("Ways to leave a gang for good, other than death."),
    "campaign.awards": _("Acts that bring experience: taking part, winning, taking somebody out."),
    "campaign.advancement": _(
        "An advance each time a member reaches a certain amount of experience."
    ),
    "campaign.advancements": _("Advances at thresholds of their own, also rolled on a table."),
    "campaign.growth": _("Experience that buys points for characteristics."),
    "campaign.promotions": _("How a member gets another rank."),
    "campaign.successions": _("The member who follows when the leader is lost."),
    "campaign.recruiting": _("How many may join between two games."),
    "campaign.tallies": _("Counts of a game for the report, such as crates carried off."),
    "campaign.yields": _("Money for each member, item or holding of a kind."),
    "campaign.hauls": _("Money by what was found and by the size of the gang."),
    "campaign.underdog": _("More money for the gang with the lower rating."),
    "campaign.unfought": _("The result of a game when somebody did not come or gave up."),
    "currencies": _("Things that gangs earn and spend beside money: reputation, favours."),
    "holdings": _("Places that a gang holds: a warehouse, a street, a ship."),
    "campaign.upkeep": _("Wages and rents after each game, and what happens without them."),
    "campaign.trophies": _("Honours at the end of a season."),
    "scenarios": _("The subject of a game, and how to win it."),
    "deployments": _("Where the sides start, with a plan of the table."),
    "references": _("Tables to look up during a game; they are printed, too."),
    "glossary": _("Words that players look up."),
    "sources": _("Where the rules are written; each row names its source."),
    "rolls": _(
        "An attack from a few questions, without formulas, or any roll step by step. The page works"
        " out its odds, and phones throw it at the table."
    ),
    "modifiers": _("Effects that make a roll easier or harder, such as cover."),
    "circumstances": _("Questions before a roll: is the target in cover, how far is it?"),
    "procedures": _("Steps that several rolls have in common."),
    "grids": _("Tables in which a roll looks a number up, by row and column."),
    "hands": _("Combinations of dice, as in poker."),
    "spends": _("Luck and other ways to roll again or add dice."),
    "pace": _("How many turns a game has."),
    "phases": _("The parts of a turn."),
    "activation": _("The order in which figures act, and how often they act."),
    "actions": _("The actions of a figure, and their cost."),
    "states": _("How a figure can be for a while: down, stunned, on fire."),
    "ticks": _("Boxes beside a member, such as luck or ammunition."),
    "tracks": _("Counters that the phone keeps for a figure or a side."),
    "alarms": _("Reminders that the phone shows, such as a test of nerve."),
    "cautions": _("Questions that the phone asks before a figure acts."),
}


# For the rows of each dice table.
DICE_ROWS = _("Open a row to say what happens when it is rolled.")


def find_next(table: str) -> str:
    """Return the table that nearly every game fills after this one; "" after the last."""
    order = [one for _question, tables in GROUPS for one in tables]
    if table not in order:
        return ""
    return next((one for one in order[order.index(table) + 1 :] if one in FIRST), "")


def find_hint(table: str) -> str:
    """Return what a table is for, or what to do with the rows of a dice table; "" if unknown."""
    return str(DICE_ROWS if is_dice_rows(table) else HINTS.get(table, ""))
