"""Sentences for refusals in campaigns."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from common.errors import Refusal, Stale
from common.forms import CONFLICT, INVALID, OK
from gangs.text.formats import localize
from gangs.text.formats import refusal_sentence as gang_sentence

REFUSALS: dict[str, Promise] = {
    "campaign_archived": gettext_lazy("This campaign is over: its organiser has archived it."),
    "gang_archived": gettext_lazy("This gang is archived. Take it out of the archive first."),
    "other_game": gettext_lazy("This gang plays another game."),
    "other_version": gettext_lazy(
        "This gang uses a different edition of the rulebook from the campaign. You can switch it "
        "on its own page, after seeing what changes."
    ),
    "holding_captured": gettext_lazy("%(holding)s was already captured in another game."),
    "games_unsettled": gettext_lazy(
        "A reported game is not settled yet. These gangs must finish it first, including its "
        "post-game: %(gangs)s."
    ),
    "strokes_left_over": gettext_lazy(
        "Something later would no longer fit: tick what to undo, too."
    ),
    "later_upgrade": gettext_lazy(
        "The rules have changed again since, or this change is already undone."
    ),
    "joined_since": gettext_lazy(
        "%(gangs)s joined with the rules as they are now. Switch to the other version instead, "
        "as a new change."
    ),
    "other_rules_since": gettext_lazy("%(gangs)s now uses other rules."),
    "joining_closed": gettext_lazy("This campaign takes only people whom its organisers invite."),
    "invitation_used": gettext_lazy(
        "Somebody else has already used this invitation, or it was withdrawn. Ask an organiser for"
        " another one."
    ),
    "link_replaced": gettext_lazy(
        "This link has just been replaced. Ask an organiser for the new one."
    ),
    "barred_account": gettext_lazy(
        "The organisers have removed this account from the campaign for good. Ask them if you do"
        " not know why."
    ),
    "invited_barred": gettext_lazy("%(name)s is barred here: let them back in first."),
    "invitations_full": gettext_lazy(
        "Too many invitations are open (%(maximum)s): withdraw some first."
    ),
    "requests_full": gettext_lazy(
        "You already ask for %(maximum)s gangs here: wait for an answer, or withdraw one."
    ),
    "too_few_members": gettext_lazy(
        "This campaign takes only gangs with at least %(minimum)s members."
    ),
    "gang_breaks_rules": gettext_lazy(
        "This campaign takes only gangs that keep to the rules: correct its errors first."
    ),
    "results_too_large": gettext_lazy(
        "This table is too large: at most %(characters)s characters. Split it."
    ),
    "results_unreadable": gettext_lazy("Row %(row)s cannot be read as part of a table."),
    "results_no_csv": gettext_lazy(
        "This is a spreadsheet’s own file (such as .xlsx). Open it there, choose “Save as” and the "
        "type CSV (in Excel “CSV UTF-8”, in LibreOffice “Text CSV”, in Google Sheets “Download”), "
        "and choose the new file."
    ),
    "results_changed": gettext_lazy(
        "The campaign has other games since you looked the table over: please check it again."
    ),
    "no_results": gettext_lazy("Choose a file, or paste a table: there is nothing in it yet."),
    "too_many_results": gettext_lazy("At most %(most)s rows at a time: split the table."),
    "too_many_columns": gettext_lazy("At most %(most)s columns: leave the others out."),
    "too_many_names": gettext_lazy(
        "There are more than %(most)s different names or results in these columns: are they the"
        " right ones?"
    ),
    "too_many_imports": gettext_lazy("This campaign has %(most)s imports already."),
    "too_many_games": gettext_lazy("A campaign has room for %(most)s games."),
    "too_many_gangs": gettext_lazy("A campaign has room for %(most)s gangs."),
    "results_in_use": gettext_lazy(
        "Somebody has corrected %(count)s of these games, told their story or used them in the"
        " league. Delete the games on their own pages instead."
    ),
    "campaign_has_results": gettext_lazy(
        "A game is confirmed here, so the campaign cannot be deleted. Archive it instead."
    ),
    "channels_full": gettext_lazy("A campaign can have %(maximum)s channels: delete one first."),
    "channel_off": gettext_lazy("This channel is switched off."),
    "tested_just_now": gettext_lazy("A test was sent a moment ago. Wait a little."),
    "in_another_campaign": gettext_lazy("This gang already plays in another campaign."),
    "joined_already": gettext_lazy("This gang is already in the campaign."),
    "has_games": gettext_lazy(
        "This gang already has a game in the campaign, so it cannot be removed."
    ),
    "games_open": gettext_lazy(
        "%(gang)s has a game here that is not settled: finish it first, including its post-game, "
        "or delete it."
    ),
    "gang_left": gettext_lazy("It has left this campaign."),
    "gang_retired": gettext_lazy("It has retired from this campaign."),
    "not_taking_part": gettext_lazy("Only members of the campaign can do that."),
    "last_organiser": gettext_lazy(
        "Nobody else runs this campaign. Make somebody else an organiser first."
    ),
    "has_gang_here": gettext_lazy(
        "%(name)s has a gang in the campaign. Remove it first, or hand it over."
    ),
    "two_gangs": gettext_lazy("Choose at least two gangs: it takes two to fight."),
    "few_gangs": gettext_lazy("Too few gangs: by the rules, a game has at least %(fewest)s."),
    "many_gangs": gettext_lazy("Too many gangs: by the rules, a game has at most %(most)s."),
    "plays_in_groups": gettext_lazy("In this game gangs do not meet in pairs: it has no stages."),
    "no_members": gettext_lazy("Without members a gang cannot be paired: %(gangs)s."),
    "own_gang_plays": gettext_lazy("Choose one of your own gangs, too."),
    "confirmed_already": gettext_lazy("Everybody has already confirmed this result."),
    "nothing_to_confirm": gettext_lazy("There is nothing to confirm here at the moment."),
    "unfit_history": gettext_lazy(
        "This post-game no longer fits the gang’s history. Correct the history first."
    ),
    "game_struck": gettext_lazy("This game is undone: nothing can be added to it."),
    "not_organiser": gettext_lazy("Only an organiser of the campaign can do that."),
    "reason_missing": gettext_lazy(
        "This result was confirmed. Say why it is corrected: all players see it."
    ),
    "told_otherwise": gettext_lazy(
        "Another player has already answered about this game: only an organiser can delete it."
    ),
    "not_your_game": gettext_lazy("Only those who played this game can do that."),
    "gangs_moved_on": gettext_lazy(
        "It cannot be reopened: %(gangs)s now plays in another campaign."
    ),
    "postgame_done": gettext_lazy(
        "This post-game is already in the gang’s history: correct it from its page."
    ),
    "postgame_written": gettext_lazy(
        "This game is in a gang’s history, even if undone: it cannot be deleted."
    ),
    "fought_already": gettext_lazy(
        "This game is in a gang’s history, even if undone: it cannot become a game that nobody "
        "fought. Undo the whole game instead."
    ),
    "unfought_spent": gettext_lazy(
        "%(gang)s has already spent what this game brought. Undo that purchase first."
    ),
    "no_postgame": gettext_lazy("Nobody fought in this game: it has no post-game."),
    "not_confirmed": gettext_lazy(
        "The result is not confirmed yet. Until everybody agrees, no gang changes."
    ),
    "earlier_postgame": gettext_lazy(
        "This gang has an earlier game whose post-game is still open: play that one first."
    ),
    "must_play_again": gettext_lazy(
        "Something earlier was corrected, so this post-game has to be played again. Only an "
        "organiser can leave it as it is."
    ),
    "postgame_open": gettext_lazy("Something in the post-game is still to be answered."),
    "place_taken": gettext_lazy(
        "%(who)s holds that place: dismiss them, or let the dice decide who leaves."
    ),
    "not_held": gettext_lazy(
        "One of the captives is no longer held, or not by that gang: make another offer."
    ),
    "nobody_ransomed": gettext_lazy("A gang pays for its own: set one of its members free."),
    "ransom_worth": gettext_lazy(
        "The rules say what that costs: %(price)s. An exchange, or letting go, costs nothing."
    ),
    "captors_there": gettext_lazy("The gang that holds them is still here: make it an offer."),
    "promotion_full": gettext_lazy("Not needed: the gang has %(maximum)s × %(rank)s."),
    "hired_already": gettext_lazy("Somebody has already hired them for this game."),
    "hires_full": gettext_lazy("Hirelings for one game, at most: %(maximum)s."),
    "hires_later": gettext_lazy(
        "The treasury pays for hirelings, and a gang has none before its first game."
    ),
    "not_planned": gettext_lazy("This game has been reported: its crew can no longer change."),
    "gang_not_here": gettext_lazy("One of these gangs is no longer in the campaign."),
    "not_your_gang": gettext_lazy("Only its player or an organiser can answer for a gang."),
    "trophies_full": gettext_lazy(
        "There is no room for more trophies in this campaign (at most %(maximum)s)."
    ),
    "adjustments_full": gettext_lazy(
        "There is no room for more bonuses and penalties in this campaign (at most %(maximum)s)."
    ),
    "night_cancelled": gettext_lazy("This night is called off."),
    "night_over": gettext_lazy("This night is over. An organiser can still change who came."),
    "night_has_games": gettext_lazy(
        "Games are planned for this night: delete them first, or call the night off."
    ),
    "played_already": gettext_lazy("This game is already reported: its plan can no longer change."),
    "scenario_final": gettext_lazy("The dice have chosen: only an organiser can change that."),
    "no_such_role": gettext_lazy("This game’s scenario has no such role."),
    "overruled_why": gettext_lazy(
        "Say why the dice are overruled: everybody who reads the gang’s history sees it."
    ),
    "roll_final": gettext_lazy("These dice are already rolled: the roll is final."),
    "stage_full": gettext_lazy("A stage of this format has room for %(maximum)s gangs."),
    "stages_full": gettext_lazy("A campaign has room for %(maximum)s stages."),
    "stage_has_games": gettext_lazy(
        "Games of this stage are planned or played: close it instead of deleting it."
    ),
    "stage_closed": gettext_lazy("This stage is closed."),
    "rounds_full": gettext_lazy("A stage has room for %(maximum)s rounds."),
    "fixtures_full": gettext_lazy("A stage has room for %(maximum)s fixtures."),
    "not_in_stage": gettext_lazy("One of these gangs does not play in this stage."),
    "twice_in_round": gettext_lazy("One of these gangs has another game in this round."),
    "later_round": gettext_lazy("A later round follows from this one: draw that one again first."),
    "fixture_has_game": gettext_lazy(
        "The game of this fixture is planned or played: change or delete that game first."
    ),
    "fixture_off": gettext_lazy("This fixture is called off."),
    "no_ladder": gettext_lazy("Only gangs on a ladder challenge each other."),
    "no_challenge": gettext_lazy(
        "Challenge a gang a few places above yours, if neither has another challenge to play."
    ),
    "mixed_ransom": gettext_lazy(
        "These captives are ransomed in different currencies: offer for one after the other."
    ),
    "ransom_currency": gettext_lazy("The rulebook wants this ransom in another currency."),
    "closed_scenario": gettext_lazy("“%(row)s” is closed in this story: roll again."),
    "no_taps": gettext_lazy("That cannot be noted at a table."),
    "dice_stand": gettext_lazy("In this campaign, dice that the site rolled are never undone."),
    "table_begun": gettext_lazy(
        "The game has begun, or the place is taken: its gangs no longer change."
    ),
    "table_full": gettext_lazy("This table is full (notes: %(maximum)s)."),
    "table_share_full": gettext_lazy(
        "One person can note no more at this table (notes: %(maximum)s)."
    ),
    "tap_number_taken": gettext_lazy("Something else was noted here under the same number."),
}


def refusal_sentence(refusal: Refusal) -> str:
    """The refusal as a sentence in the reader's language."""
    if refusal.code not in REFUSALS:
        return gang_sentence(refusal)
    values = {key: localize(value) for key, value in refusal.values.items()}
    return str(REFUSALS[refusal.code]) % values


def attempt[**P](
    stale: str, act: Callable[P, object], *args: P.args, **options: P.kwargs
) -> tuple[str, int]:
    """Run ``act`` and return the reason for a refusal and its status; "" and OK if it succeeds.
    ``stale``: the sentence for a user with an outdated page.
    """
    try:
        act(*args, **options)
    except Refusal as refusal:
        return refusal_sentence(refusal), INVALID
    except Stale:
        return stale, CONFLICT
    return "", OK
