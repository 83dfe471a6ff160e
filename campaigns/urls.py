"""Addresses of campaigns and their games."""

from django.urls import URLPattern, URLResolver, include, path

from campaigns.views import (
    bargains,
    campaigns,
    games,
    joining,
    lists,
    planning,
    postgames,
    settings,
    upgrades,
)

app_name = "campaigns"

postgame_urls = [
    path("", postgames.postgame, name="postgame"),
    path("answer/", postgames.answer, name="postgame-answer"),
    path("preview/", postgames.preview, name="postgame-preview"),
    path("commit/", postgames.commit, name="postgame-commit"),
]
game_urls: list[URLPattern | URLResolver] = [
    path("", games.game, name="game"),
    path("report/", games.report, name="game-report"),
    path("verdict/", games.verdict, name="game-verdict"),
    path("withdraw/", games.withdraw, name="game-withdraw"),
    path("postgame/<int:side>/", include(postgame_urls)),
]
captive_urls = [
    path("", bargains.captives, name="captives"),
    path("<uuid:gang>/<int:member>/<uuid:captor>/", bargains.offer, name="captive-offer"),
    path("<uuid:gang>/<int:member>/release/", bargains.release, name="captive-release"),
    path("bargains/<int:bargain>/", bargains.answer, name="bargain-answer"),
]
campaign_urls: list[URLPattern | URLResolver] = [
    path("", campaigns.campaign, name="campaign"),
    path("settings/", settings.settings, name="settings"),
    path("archive/", settings.archive, name="archive"),
    path("invitation/", joining.renew_invitation, name="renew-invitation"),
    path("gangs/<uuid:gang>/leave/", joining.leave, name="leave"),
    path("upgrade/", upgrades.upgrade, name="upgrade"),
    path("upgrade/<int:upgrade>/back/", upgrades.take_back, name="upgrade-back"),
    path("captives/", include(captive_urls)),
    path("games/new/", planning.new, name="game-new"),
]
urlpatterns = [
    path("", lists.campaigns, name="list"),
    path("new/", lists.choose_book, name="choose-book"),
    path("new/<slug:slug>/", lists.new, name="new"),
    path("join/<slug:key>/", joining.join, name="join"),
    path("games/<uuid:game>/", include(game_urls)),
    path("<uuid:campaign>/", include(campaign_urls)),
]
