"""Addresses of campaigns and their games."""

from django.urls import URLPattern, URLResolver, include, path

from campaigns.views import (
    bargains,
    calendar,
    campaigns,
    careers,
    correcting,
    files,
    games,
    joining,
    lists,
    nights,
    pairings,
    papers,
    people,
    planning,
    postgames,
    preparing,
    settings,
    upgrades,
    watching,
    yearbook,
)

app_name = "campaigns"

postgame_urls = [
    path("", postgames.postgame, name="postgame"),
    path("answer/", postgames.answer, name="postgame-answer"),
    path("correct/", postgames.correct, name="postgame-correct"),
    path("preview/", postgames.preview, name="postgame-preview"),
    path("commit/", postgames.commit, name="postgame-commit"),
]
game_urls: list[URLPattern | URLResolver] = [
    path("", games.game, name="game"),
    path("report/", games.report, name="game-report"),
    path("verdict/", games.verdict, name="game-verdict"),
    path("withdraw/", games.withdraw, name="game-withdraw"),
    path("strike/", correcting.strike_game, name="game-strike"),
    path("restore/", correcting.restore_game, name="game-restore"),
    path("sides/<int:side>/tale/", games.tale, name="game-tale"),
    path("plan/", planning.change, name="game-plan"),
    path("pack.pdf", papers.game_pack, name="pack-pdf"),
    path("roles/", planning.decide_roles, name="game-roles"),
    path("prepare/<int:side>/", preparing.prepare, name="prepare"),
    path("postgame/<int:side>/", include(postgame_urls)),
]
night_urls = [
    path("", nights.night, name="night"),
    path("change/", nights.change, name="night-change"),
    path("cancel/", nights.cancel, name="night-cancel"),
    path("answer/", nights.answer, name="night-answer"),
    path("pairings/", pairings.pairings, name="night-pairings"),
    path("pack.pdf", papers.night_pack, name="night-pack-pdf"),
]
captive_urls = [
    path("", bargains.captives, name="captives"),
    path("<uuid:gang>/<int:member>/<uuid:captor>/", bargains.offer, name="captive-offer"),
    path("<uuid:gang>/<int:member>/release/", bargains.release, name="captive-release"),
    path("bargains/<int:bargain>/", bargains.answer, name="bargain-answer"),
    path("bargains/<int:bargain>/back/", correcting.strike_bargain, name="bargain-back"),
]
campaign_urls: list[URLPattern | URLResolver] = [
    path("", campaigns.campaign, name="campaign"),
    path("settings/", settings.settings, name="settings"),
    path("archive/", settings.archive, name="archive"),
    path("join/", joining.join_again, name="join-again"),
    path("invitation/", joining.renew_invitation, name="renew-invitation"),
    path("gangs/<uuid:gang>/leave/", joining.leave, name="leave"),
    path("gangs/<uuid:gang>/owner/", people.hand_over, name="hand-over"),
    path("gangs/<uuid:gang>/members/<int:member>/", careers.career, name="career"),
    path("follow/", joining.follow, name="follow"),
    path("leave/", people.depart, name="depart"),
    path("people/", people.people, name="people"),
    path("people/invite/", people.invite, name="invite"),
    path("people/<int:seat>/role/", people.role, name="role"),
    path("people/<int:seat>/remove/", people.remove, name="remove"),
    path("export/", files.export, name="export"),
    path("upgrade/", upgrades.upgrade, name="upgrade"),
    path("upgrade/<int:upgrade>/back/", upgrades.take_back, name="upgrade-back"),
    path("captives/", include(captive_urls)),
    path("games/new/", planning.new, name="game-new"),
    path("nights/", nights.all_nights, name="nights"),
    path("nights/new/", nights.new, name="night-new"),
    path("chronicle/", watching.chronicle, name="chronicle"),
    path("charts/", watching.charts, name="charts"),
    path("charts/<slug:chart>.svg", watching.chart, name="chart"),
    path("records/", watching.records_page, name="records"),
    path("yearbook/", yearbook.choose, name="yearbook"),
    path("yearbook.pdf", yearbook.pdf, name="yearbook-pdf"),
]
urlpatterns = [
    path("", lists.campaigns, name="list"),
    path("new/", lists.choose_book, name="choose-book"),
    path("new/<slug:slug>/", lists.new, name="new"),
    path("import/", files.import_campaign, name="import"),
    path("join/<slug:key>/", joining.join, name="join"),
    path("watch/<slug:key>/", joining.watch, name="watch"),
    path("games/<uuid:game>/", include(game_urls)),
    path("nights/<uuid:night>/", include(night_urls)),
    path("feeds/<slug:key>/nights.ics", calendar.nights, name="night-feed"),
    path("feeds/<slug:key>/chronicle.atom", watching.feed, name="feed"),
    path("<uuid:campaign>/", include(campaign_urls)),
]
