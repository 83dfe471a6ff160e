"""The sentence for each note of an import."""

from __future__ import annotations

from common.wording.sentences import Label, Message, Sentence, ngettext
from common.wording.sentences import gettext_noop as _
from rules.catalogues.results import Note

SENTENCES: dict[str, Message] = {
    "broken_link": _("This link leads to nothing: no file has its target."),
    "cost_fraction": _("Costs %(cost)s in the catalogue, and %(price)s here: prices are whole."),
    "cost_left": _("This cost has no limit in the catalogues, so it was left out."),
    "cost_range": _("Costs %(cost)s in the catalogue. A price here is from 0 to 100 000."),
    "hidden_depends": _(
        "Can be chosen only in some lists, depending on what else is in them. Here it always can."
    ),
    "leader_limit": _("No limit in the catalogues is about leaders. Here a gang has at most one."),
    "limit_depends": _("A limit of %(value)s depends on the rest of the list, or is about costs."),
    "limit_nested": _("A least number of parts of an item is not checked."),
    "limit_parts": _(
        "A limit of %(value)s for each of several things is checked for all of them together."
    ),
    "limit_percent": _("A limit of %(value)s per cent of the list was left out."),
    "limit_scope": _("A limit of %(value)s is about a part of the list that does not exist here."),
    "limit_shared": _(
        "Members can have these things in another way, too, so this limit is checked less strictly."
    ),
    "limit_unit": _("A limit on the number of these units was left out: members count one by one."),
    "name_cut": _("This name was too long and has been shortened."),
    "no_ranks": _("No member was found. Is the right kind of profile chosen for members?"),
    "notes_cut": _("There are %(count)s more notes."),
    "price_cut": _("A price of %(price)s for some ranks was left out: there are too many offers."),
    "price_depends": _(
        "The cost depends on the rest of the list. The price is the one without that."
    ),
    "price_moved": _(
        "The catalogue adds %(cost)s for each “%(name)s” in the list. Here each of these costs "
        "that itself, so that the gang costs the same."
    ),
    "profile_depends": _("The profile depends on what else is chosen. Here it does not change."),
    "rank_cut": _("This rank was left out: the rulebook has as many ranks as it may have."),
    "repeat_depends": _(
        "The cost changes with the number of other things in the list. The price is the one "
        "without them."
    ),
    "role_experience": ngettext(
        "%(count)s record of experience was left out: the history of a gang has it.",
        "%(count)s records of experience were left out: the history of a gang has them.",
    ),
    "role_injury": ngettext(
        "%(count)s injury was left out: it belongs to the tables of the campaign.",
        "%(count)s injuries were left out: they belong to the tables of the campaign.",
    ),
    "role_promotion": ngettext(
        "%(count)s promotion was left out: it belongs to the campaign.",
        "%(count)s promotions were left out: they belong to the campaign.",
    ),
    "role_rise": ngettext(
        "%(count)s rise was left out: it belongs to the advances of the campaign.",
        "%(count)s rises were left out: they belong to the advances of the campaign.",
    ),
    "role_stash": ngettext(
        "%(count)s option for the stash was left out: every gang has a stash.",
        "%(count)s options for the stash were left out: every gang has a stash.",
    ),
    "row_cut": _("This was left out: the table of the rulebook is full."),
    "rows_cut": ngettext(
        "%(table)s: %(count)s row was left out, because the table is full.",
        "%(table)s: %(count)s rows were left out, because the table is full.",
    ),
    "texts_cut": _(
        "Texts were shortened to %(most)s letters, so that the rulebook is not too big."
    ),
    "too_many": _("There are too many ways to get here, so that some were left out."),
    "unit_as_one": _(
        "This unit costs something as a whole, so it is one member, and its models are items."
    ),
    "unit_shape": _(
        "The models of this unit are ranks of their own. How many of each belong together is not "
        "checked."
    ),
    "unknown_modifier": _("A change to “%(field)s” is not known and was left out."),
    "words_cut": ngettext(
        "%(name)s: %(count)s value was left out, because there are too many different ones.",
        "%(name)s: %(count)s values were left out, because there are too many different ones.",
    ),
    "worth_differs": _("Its worth or another cost differs between ranks. Here it is the same."),
}
UNKNOWN = _("This could not be taken over exactly.")
TABLES: dict[str, Label] = {
    "glossary": _("Words of the game"),
    "holdings": _("Holdings"),
    "items": _("Weapons and items"),
    "limits": _("Limits"),
    "offers": _("Offers of items"),
    "ranks": _("Ranks"),
    "tags": _("Names of properties"),
    "traits": _("Traits and skills"),
}


def sentence(note: Note) -> Sentence:
    """Return a note in words."""
    message = SENTENCES.get(note.code, UNKNOWN)
    values: dict[str, object] = dict(note.values)
    if "count" in values:
        values["count"] = int(note.values["count"])
    if "table" in values:
        values["table"] = TABLES.get(note.values["table"], note.values["table"])
    return Sentence(message, values)
