"""Addresses of prints and pictures, in the namespaces of the apps whose pages they show."""

from django.urls import path

from printing.pictures import campaign_link, campaigns, gang_link, gangs, rules_link
from printing.reference import views as reference_views
from printing.season import pack_views, table_views, yearbook_views
from printing.sheets import blank_views, roster_views
from printing.sheets import views as sheets_views

of_rules = [
    path(
        "rules/version/<slug:digest>/reference.pdf",
        reference_views.sheet,
        name="version-reference",
    ),
    path("rules/version/<slug:digest>/blank.pdf", blank_views.blank, name="version-blank"),
    path("rules/version/<slug:digest>/preview.png", rules_link.picture, name="version-preview"),
    path("rules/<slug:slug>/reference.pdf", reference_views.sheet, name="reference"),
    path("rules/<slug:slug>/blank.pdf", blank_views.blank, name="blank"),
    path("rules/<slug:slug>/preview.png", rules_link.picture, name="preview"),
]
of_gangs = [
    path("gangs/<uuid:gang>/sheet.pdf", roster_views.sheet_pdf, name="sheet-pdf"),
    path("gangs/<uuid:gang>/reference.pdf", sheets_views.reference_pdf, name="reference-pdf"),
    path("gangs/<uuid:gang>/blank.pdf", sheets_views.blank_pdf, name="blank-pdf"),
    path("gangs/<uuid:gang>/prints/", sheets_views.choose, name="prints"),
    path("gangs/<uuid:gang>/cards.pdf", sheets_views.cards_pdf, name="cards-pdf"),
    path("gangs/<uuid:gang>/posters.pdf", sheets_views.posters_pdf, name="posters-pdf"),
    path("gangs/<uuid:gang>/then/<int:place>/sheet.pdf", roster_views.then_pdf, name="then-pdf"),
    path("gangs/<uuid:gang>/save/", gangs.pictures, name="saved-pictures"),
    path("gangs/<uuid:gang>/save/<slug:shape>.png", gangs.picture, name="saved-picture"),
    path("s/<slug:key>/preview.png", gang_link.picture, name="shared-preview"),
    path("s/<slug:key>/save/", gangs.shared_pictures, name="shared-saved-pictures"),
    path("s/<slug:key>/save/<slug:shape>.png", gangs.shared_picture, name="shared-saved-picture"),
    path("s/<slug:key>/sheet.pdf", roster_views.show_shared_pdf, name="shared-pdf"),
]
of_campaigns = [
    path("games/<uuid:game_id>/save/", campaigns.game_pictures, name="game-pictures"),
    path("games/<uuid:game_id>/save/<slug:shape>.png", campaigns.game, name="game-picture"),
    path("games/<uuid:game_id>/pack.pdf", pack_views.game_pack, name="pack-pdf"),
    path("nights/<uuid:night_id>/pack.pdf", pack_views.night_pack, name="night-pack-pdf"),
    path("stages/<uuid:stage_id>/fixtures.pdf", table_views.stage, name="stage-pdf"),
    path(
        "<uuid:campaign_id>/standings/save/",
        campaigns.standings_pictures,
        name="standings-pictures",
    ),
    path(
        "<uuid:campaign_id>/standings/save/<slug:shape>.png",
        campaigns.standings,
        name="standings-picture",
    ),
    path("<uuid:campaign_id>/standings.pdf", table_views.standings, name="standings-pdf"),
    path("<uuid:campaign_id>/yearbook/", yearbook_views.choose, name="yearbook"),
    path("<uuid:campaign_id>/yearbook.pdf", yearbook_views.pdf, name="yearbook-pdf"),
    path("watch/<slug:key>/preview.png", campaign_link.picture, name="watch-preview"),
    path(
        "watch/<slug:key>/standings.png",
        campaigns.watched_standings,
        name="watch-standings-preview",
    ),
    path(
        "watch/<slug:key>/stages/<uuid:stage_id>.png",
        campaigns.stage,
        name="watch-stage-preview",
    ),
]
