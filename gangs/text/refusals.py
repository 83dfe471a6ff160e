"""Sentences for the codes of refusals, misfits and implausible entries."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

REFUSALS: dict[str, Promise | str] = {
    # A limit in the rulebook has its own sentence.
    "not_allowed": "%(why)s",
    "never_recruited": gettext_lazy("%(rank)s: only by promotion."),
    "quota_used_up": gettext_lazy("No more %(rank)s may join before the next game."),
    "requires": gettext_lazy("Needs %(trait)s first."),
    "excluded": gettext_lazy("Not together with: %(other)s"),
    "beyond_limit": gettext_lazy("Maximum reached (%(maximum)s)."),
    "recruits_used_up": gettext_lazy("Nobody else can be hired before the next game."),
    "recruits_left": gettext_lazy("Only %(count)s more can be hired before the next game."),
    "gang_full": gettext_lazy("A gang can have %(maximum)s members at most."),
    "how_many": gettext_lazy("Recruit between 1 and %(maximum)s at a time."),
    "has_it": gettext_lazy("Already taken"),
    "has_it_often": gettext_lazy("Already taken %(maximum)s times"),
    "lacks_experience": gettext_lazy("%(experience)s: %(missing)s short"),
    "traits_full": gettext_lazy("%(rank)s: %(maximum)s at most"),
    "no_traits": gettext_lazy("%(rank)s: none at this rank"),
    "no_place": gettext_lazy("No place left: %(characteristic)s %(maximum)s"),
    "group_full": gettext_lazy("%(group)s: %(maximum)s at most"),
    "over_budget": gettext_lazy("%(missing)s short"),
    "keep_for": gettext_lazy("Keep %(kept)s for: %(what)s"),
    "too_dear": gettext_lazy("The treasury is %(missing)s short."),
    "lacks_currency": gettext_lazy("%(currency)s: %(missing)s short"),
    "not_offered": gettext_lazy("The rulebook does not offer this here."),
    "not_for_rank": gettext_lazy("Not for this rank"),
    "not_sold": gettext_lazy("Nobody buys this."),
    "worn": gettext_lazy("Nobody buys something that has been used."),
    "not_listed": gettext_lazy("Not among the items offered to this member"),
    "not_found": gettext_lazy("Only after somebody found it (%(dice)s)"),
    "none_left": gettext_lazy("All that was found is sold: somebody has to find more"),
    "few_left": gettext_lazy("%(count)s left until the next game"),
    "no_effect": gettext_lazy("This would change nothing."),
    "not_fitting": gettext_lazy("This cannot be fitted to it."),
    "nobody_owns": gettext_lazy("%(rank)s: nobody here can have one more."),
    "choose_owner": gettext_lazy("%(rank)s: choose whom they belong to."),
    "not_owner": gettext_lazy("%(rank)s: cannot belong to %(name)s."),
    "owner_full": gettext_lazy("%(rank)s: %(name)s can have %(maximum)s at most."),
    "owner_stays": gettext_lazy("They stay with the one they belong to."),
    "kit_stays": gettext_lazy("This belongs to the kit that its bearer joined with."),
    "points_used_up": gettext_lazy("All points are assigned: lower another value first."),
    "at_maximum": gettext_lazy("%(characteristic)s cannot go above %(maximum)s."),
    "at_start": gettext_lazy("%(characteristic)s is where it started."),
    "gone": gettext_lazy("This is no longer there: it may have been changed in another window."),
    "settings_of_campaign": gettext_lazy("The campaign sets the options now."),
    "origin_of_gang": gettext_lazy("%(rank)s: only of the gang’s own origin."),
    "origin_stays": gettext_lazy("A member’s origin is chosen when they join."),
    "postgame_waits": gettext_lazy(
        "A game is waiting to be settled: finish it and its post-game first."
    ),
    "absent": gettext_lazy("This member is away: their gear cannot change until they are back."),
    "holdings_full": gettext_lazy("A gang can have at most %(maximum)s holdings."),
    "holding_held": gettext_lazy("%(gang)s already has %(holding)s."),
    "own_items_full": gettext_lazy("A gang can have at most %(maximum)s custom items."),
    "history_full": gettext_lazy("This gang’s history is full: start a new gang."),
    "guest_history_full": gettext_lazy(
        "A visitor’s gang can take no more changes: sign up to carry on with it."
    ),
    "joined_stays": gettext_lazy("Leave a campaign on its own page."),
    "archived": gettext_lazy("This gang is archived. Take it out of the archive first."),
    "campaign_decides": gettext_lazy(
        "The gang plays in a campaign: its organiser switches all gangs to another "
        "version together."
    ),
    "same_rules": gettext_lazy("It already uses these rules."),
    "nothing_to_strike": gettext_lazy("There is nothing left to undo here."),
    "nothing_to_redo": gettext_lazy("There is nothing to redo: something else has changed since."),
    "game_goes_whole": gettext_lazy(
        "A game is undone with everything it brought: undo the whole post-game."
    ),
    "taken_back_already": gettext_lazy("This correction is already undone."),
    "corrected_since": gettext_lazy("A later correction builds on this one: undo that first."),
    "bound": gettext_lazy(
        "This is part of a deal with another gang: an organiser of the campaign can "
        "undo it in both together."
    ),
    "bound_to_game": gettext_lazy(
        "This is what a game without a battle brought: an organiser of the campaign can undo the "
        "whole game."
    ),
    "game_struck": gettext_lazy(
        "The whole game is undone: an organiser of the campaign can restore it for all gangs."
    ),
    "founding_stays": gettext_lazy("Creating the gang cannot be undone: archive it instead."),
}
MISFITS: dict[str, Promise] = {
    "no_member": gettext_lazy("the member is no longer there"),
    "no_item": gettext_lazy("the item is no longer there"),
    "no_owner": gettext_lazy("that member cannot own them"),
    "no_trait": gettext_lazy("the member no longer has the trait"),
    "no_condition": gettext_lazy("the member no longer suffers from it"),
    "no_holding": gettext_lazy("the gang no longer has the holding"),
    "unknown": gettext_lazy("the rulebook has no such thing"),
    "no_game": gettext_lazy("the game it came from is undone"),
    "played_twice": gettext_lazy("this game is already in the gang’s history"),
    "played_already": gettext_lazy("the game it was for has already been played"),
    "hired_twice": gettext_lazy("they are already hired for that game"),
    "no_gang": gettext_lazy("a gang is created once, at the beginning"),
    "unknown_book": gettext_lazy("this site does not have that version of the rulebook"),
    "other_rules": gettext_lazy("that is the rulebook of another game"),
}
IMPLAUSIBLE: dict[str, Promise] = {
    "unpaid": gettext_lazy("%(missing)s more than the treasury held then"),
    "lacks_currency": gettext_lazy("%(currency)s: %(missing)s more than the gang had then"),
    "unearned": gettext_lazy("experience had not earned it by then"),
    "absent": gettext_lazy("%(name)s could not play then"),
    "missing": gettext_lazy("%(count)s of those who played were not in the gang then"),
    "has_it": gettext_lazy("the member had it already"),
    "has_it_often": gettext_lazy("the member had it %(maximum)s times already"),
    "overspent": gettext_lazy("%(experience)s: %(missing)s more than the member had left"),
    "requires": gettext_lazy("it needed %(trait)s first"),
    "excluded": gettext_lazy("the member had %(other)s, which rules it out"),
    "traits_full": gettext_lazy("%(rank)s: %(maximum)s at most"),
    "group_full": gettext_lazy("%(group)s: %(maximum)s at most"),
    "recruits_used_up": gettext_lazy("nobody else could be hired before the next game"),
    "not_listed": gettext_lazy("it was not offered to that member"),
    "not_taught": gettext_lazy("%(name)s did not have it to teach"),
    "not_owner": gettext_lazy("%(rank)s: could not belong to %(name)s"),
    "owner_full": gettext_lazy("%(rank)s: %(name)s could have %(maximum)s at most"),
    "not_fitting": gettext_lazy("it could not be fitted to that item"),
    "not_found": gettext_lazy("nobody had found it (%(dice)s)"),
    "none_left": gettext_lazy("all that had been found was sold"),
}
