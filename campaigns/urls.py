"""Addresses of campaigns and their games."""

from django.urls import URLPattern, URLResolver, include, path

from campaigns.club.home import views as home_views
from campaigns.club.next_season import views as next_season_views
from campaigns.club.nights import views as nights_views
from campaigns.club.old_results import views as old_results_views
from campaigns.club.people import campaign_views, join_views
from campaigns.club.people import views as people_views
from campaigns.club.planning import views as planning_views
from campaigns.club.results import views as results_views
from campaigns.club.upgrades import views as upgrades_views
from campaigns.files import views as files_views
from campaigns.games import departure_views, photo_views
from campaigns.games import views as games_views
from campaigns.games.captives import views as captives_views
from campaigns.games.corrections import views as corrections_views
from campaigns.league import fixture_views
from campaigns.league import sharing as league_sharing
from campaigns.league import views as league_views
from campaigns.league.entering import views as entering_views
from campaigns.postgames import all_views as all_postgames_views
from campaigns.postgames import views as postgames_views
from campaigns.season import sending as season_sending
from campaigns.season import spreadsheets as season_spreadsheets
from campaigns.season import views as season_views
from campaigns.season.seasons import views as seasons_views
from campaigns.season.standings import views as standings_views
from campaigns.season.trophies import views as trophies_views
from campaigns.table.attempts import views as attempts_views
from campaigns.table.crews import views as crews_views
from campaigns.table.luck import views as luck_views
from campaigns.table.pages import views as table_views

app_name = "campaigns"

postgame_urls = [
    path("", postgames_views.postgame, name="postgame"),
    path("answer/", postgames_views.answer, name="postgame-answer"),
    path("correct/", postgames_views.correct, name="postgame-correct"),
    path("preview/", postgames_views.preview, name="postgame-preview"),
    path("commit/", postgames_views.commit, name="postgame-commit"),
]
game_urls: list[URLPattern | URLResolver] = [
    path("", games_views.game, name="game"),
    path("play/", table_views.play_game, name="game-play"),
    path("dice/", luck_views.game_throws, name="game-throws"),
    path("report/", games_views.report, name="game-report"),
    path("text/", season_sending.game_as_text, name="game-text"),
    path("photos/", photo_views.add, name="game-photo-add"),
    path("photos/<uuid:photo_id>/remove/", photo_views.remove, name="game-photo-remove"),
    path("photos/<int:size>/<slug:name>.jpg", photo_views.show, name="game-photo"),
    path("verdict/", games_views.verdict, name="game-verdict"),
    path("settle/", games_views.settle, name="game-settle"),
    path("withdraw/", games_views.withdraw, name="game-withdraw"),
    path("strike/", corrections_views.strike_game, name="game-strike"),
    path("restore/", corrections_views.restore_game, name="game-restore"),
    path("sides/<int:side_id>/tale/", games_views.tale, name="game-tale"),
    path("plan/", planning_views.change, name="game-plan"),
    path("roles/", planning_views.decide_roles, name="game-roles"),
    path("prepare/<int:side_id>/", crews_views.prepare, name="prepare"),
    path("postgame/<int:side_id>/", include(postgame_urls)),
]
table_urls = [
    path("", table_views.table, name="table"),
    path("story/", table_views.table_story, name="table-story"),
    path("dice/", luck_views.table_throws, name="table-throws"),
    path("throw-away/", table_views.throw_away, name="table-throw-away"),
    path("place/", table_views.take_place, name="table-place"),
    path("taps/", table_views.taps, name="table-taps"),
    path("since/<int:seq>/", table_views.since, name="table-since"),
    path("calls/", table_views.choose_calls, name="table-calls"),
    path("figures/<str:figure>/", attempts_views.figure, name="table-figure"),
    path(
        "figures/<str:figure>/attempts.json",
        attempts_views.attempts_beforehand,
        name="table-beforehand",
    ),
    path("acts/<str:roll>/", attempts_views.attempt, name="table-attempt"),
    path("due/<str:alarm>/", attempts_views.roll_for_all, name="table-roll-for-all"),
    path("dice/<uuid:act>/", attempts_views.dice, name="table-dice"),
]
night_urls = [
    path("", nights_views.night, name="night"),
    path("text/", season_sending.night_as_text, name="night-text"),
    path("change/", nights_views.change, name="night-change"),
    path("cancel/", nights_views.cancel, name="night-cancel"),
    path("delete/", nights_views.delete, name="night-delete"),
    path("answer/", nights_views.answer, name="night-answer"),
    path("answers/", nights_views.answers, name="night-answers"),
    path("results/", nights_views.results, name="night-results"),
    path("results/enter/", entering_views.night_entering, name="night-entering"),
    path("pairings/", planning_views.pairings, name="night-pairings"),
]
stage_urls = [
    path("", league_views.stage, name="stage"),
    path("change/", league_views.change, name="stage-change"),
    path("gangs/", league_views.gangs_of_stage, name="stage-gangs"),
    path("gangs/<uuid:gang_id>/out/", league_views.drop_out, name="stage-drop-out"),
    path("end/", league_views.end, name="stage-end"),
    path("draw/", league_views.draw, name="stage-draw"),
    path("follow/", league_views.follow, name="stage-follow"),
    path("challenge/", fixture_views.challenge, name="challenge"),
    path("rounds/<int:round_number>/", league_views.change_round, name="round-change"),
    path(
        "rounds/<int:round_number>/results/", entering_views.round_entering, name="round-entering"
    ),
    path("rounds/<int:round_number>/add/", fixture_views.add, name="fixture-add"),
]
fixture_urls = [
    path("", fixture_views.fixture, name="fixture"),
    path("arrange/", fixture_views.arrange, name="fixture-arrange"),
    path("change/", fixture_views.change, name="fixture-change"),
]
captive_urls = [
    path("", captives_views.captives, name="captives"),
    path("<uuid:gang_id>/<int:member>/<uuid:captor>/", captives_views.offer, name="captive-offer"),
    path("<uuid:gang_id>/<int:member>/release/", captives_views.release, name="captive-release"),
    path("bargains/<int:bargain_id>/", captives_views.answer, name="bargain-answer"),
    path("bargains/<int:bargain_id>/back/", corrections_views.strike_bargain, name="bargain-back"),
]
standings_urls = [
    path("", standings_views.standings, name="standings"),
    path("rules/", standings_views.rules, name="standings-rules"),
    path("adjust/", standings_views.adjust, name="adjust"),
    path(
        "adjustments/<int:adjustment_id>/back/", standings_views.take_back, name="adjustment-back"
    ),
]
campaign_urls: list[URLPattern | URLResolver] = [
    path("", season_views.campaign, name="campaign"),
    path("text/", season_sending.standings_as_text, name="standings-text"),
    path("settings/", campaign_views.settings, name="settings"),
    path("results/", results_views.result_rules, name="result-rules"),
    path("old-results/", old_results_views.old_results, name="old-results"),
    path("old-results/<int:act>/undo/", old_results_views.undo, name="old-results-undo"),
    path("archive/", campaign_views.archive, name="archive"),
    path("delete/", campaign_views.delete, name="delete"),
    path("join/", join_views.join_again, name="join-again"),
    path("invitation/", people_views.renew_invitation, name="renew-invitation"),
    path("gangs/<uuid:gang_id>/leave/", people_views.leave, name="leave"),
    path("gangs/<uuid:gang_id>/retire/", people_views.retire, name="retire"),
    path("gangs/<uuid:gang_id>/owner/", people_views.hand_over, name="hand-over"),
    path("gangs/<uuid:gang_id>/members/<int:member>/", season_views.career, name="career"),
    path("follow/", people_views.follow, name="follow"),
    path("leave/", people_views.depart, name="depart"),
    path("people/", people_views.people, name="people"),
    path("people/invite/", join_views.invite, name="invite"),
    path(
        "people/invitations/<int:invitation_id>/withdraw/",
        join_views.withdraw_invitation,
        name="withdraw-invitation",
    ),
    path("people/requests/", join_views.accept_requests, name="accept-requests"),
    path("people/requests/<int:request_id>/", join_views.decide_request, name="decide-request"),
    path("people/barred/<int:bar_id>/", join_views.unbar, name="unbar"),
    path("people/<int:seat_id>/role/", people_views.role, name="role"),
    path("people/<int:seat_id>/remove/", departure_views.remove, name="remove"),
    path("export/", files_views.export, name="export"),
    path("upgrade/", upgrades_views.upgrade, name="upgrade"),
    path("upgrade/<int:upgrade_id>/back/", upgrades_views.take_back, name="upgrade-back"),
    path("captives/", include(captive_urls)),
    path("games/new/", planning_views.new, name="game-new"),
    path("postgames/", all_postgames_views.open_postgames, name="open-postgames"),
    path("nights/", nights_views.all_nights, name="nights"),
    path("nights/new/", nights_views.new, name="night-new"),
    path("league/", league_views.league, name="league"),
    path("league/new/", league_views.choose_format, name="stage-formats"),
    path("league/new/<slug:stage_format>/", league_views.new, name="stage-new"),
    path("chronicle/", season_views.chronicle, name="chronicle"),
    path("charts/", season_views.charts, name="charts"),
    path("records/", season_views.records_page, name="records"),
    path("standings/", include(standings_urls)),
    path("trophies/", trophies_views.trophies, name="trophies"),
    path("trophies/new/", trophies_views.new, name="trophy-new"),
    path("trophies/award/", trophies_views.award, name="trophy-award"),
    path("trophies/<int:trophy_id>/delete/", trophies_views.delete, name="trophy-delete"),
    path("trophies/awards/<int:award_id>/back/", trophies_views.withdraw, name="award-withdraw"),
    path("seasons/", seasons_views.seasons, name="seasons"),
    path("seasons/next/", next_season_views.start, name="next-season"),
    path("seasons/link/", seasons_views.link, name="season-link"),
    path("players/<int:user_id>/", seasons_views.player, name="player"),
    path("spreadsheets/", season_spreadsheets.spreadsheets, name="spreadsheets"),
]
urlpatterns = [
    path("", home_views.campaigns, name="list"),
    path("new/", campaign_views.choose_book, name="choose-book"),
    path("new/<slug:slug>/", campaign_views.new, name="new"),
    path("import/", files_views.import_campaign, name="import"),
    path("join/<slug:key>/", join_views.join, name="join"),
    path(
        "requests/<int:request_id>/withdraw/", join_views.withdraw_request, name="withdraw-request"
    ),
    path("watch/<slug:key>/", people_views.watch, name="watch"),
    path("watch/<slug:key>/stages/<uuid:stage_id>/", league_sharing.watch, name="watch-stage"),
    path("watch/<slug:key>/standings/", standings_views.watch_standings, name="watch-standings"),
    path("games/<uuid:game_id>/", include(game_urls)),
    path("tables/join/<slug:key>/", table_views.join, name="table-join"),
    path("tables/join/<slug:key>/code.svg", table_views.join_code, name="table-join-code"),
    path("gangs/<uuid:gang>/alone/", campaign_views.play_alone, name="gang-alone"),
    path("gangs/<uuid:gang>/play/", table_views.play_gang, name="gang-play"),
    path("tables/<uuid:table_id>/", include(table_urls)),
    path("nights/<uuid:night_id>/", include(night_urls)),
    path("stages/<uuid:stage_id>/", include(stage_urls)),
    path("fixtures/<int:fixture_id>/", include(fixture_urls)),
    path("feeds/<slug:key>/nights.ics", nights_views.calendar, name="night-feed"),
    path("feeds/<slug:key>/chronicle.atom", season_views.feed, name="feed"),
    path("feeds/<slug:key>/<slug:name>.csv", season_spreadsheets.table, name="csv"),
    path("<uuid:campaign_id>/", include(campaign_urls)),
]
