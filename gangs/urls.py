"""Addresses of gangs."""

from django.urls import URLPattern, URLResolver, include, path

from gangs.views import (
    builder,
    corrections,
    files,
    history,
    lists,
    moments,
    own_items,
    papers,
    pictures,
    prints,
    references,
    sheets,
    upgrades,
)

app_name = "gangs"

member_urls = [
    path("", builder.member, name="member"),
    path("points/", builder.points, name="points"),
    path("traits/", builder.traits, name="traits"),
    path("items/", builder.items, name="items"),
    path("dismissal/", builder.dismissal, name="dismissal"),
    path("double/", builder.double, name="double"),
    path("place/", builder.place_in_list, name="place"),
    path("career/", moments.career, name="career"),
    path("picture/", pictures.portrait, name="portrait"),
]
gang_urls: list[URLPattern | URLResolver] = [
    path("", builder.builder, name="builder"),
    path("about/", builder.about, name="about"),
    path("members/", builder.members, name="members"),
    path("members/<int:member>/", include(member_urls)),
    path("stash/", builder.stash, name="stash"),
    path("own-items/", own_items.own_items, name="own-items"),
    path("items/<int:item>/", builder.item, name="item"),
    path("badge/", pictures.badge, name="badge"),
    path("pictures/<int:size>/<slug:name>.jpg", pictures.picture, name="picture"),
    path("undo/", history.undo, name="undo"),
    path("history/", history.history, name="history"),
    path("history/correct/", corrections.correct, name="correct"),
    path("history/new/", corrections.add, name="add-entry"),
    path("history/entries/<int:seq>/", corrections.edit, name="edit-entry"),
    path("history/<uuid:batch>/", history.strike, name="strike"),
    path("history/strikes/<int:act>/", history.restore, name="restore"),
    path("sheet/", sheets.sheet, name="sheet"),
    path("sheet.pdf", sheets.sheet_pdf, name="sheet-pdf"),
    path("reference.pdf", references.of_gang, name="reference-pdf"),
    path("prints/", prints.choose, name="prints"),
    path("cards.pdf", papers.cards_pdf, name="cards-pdf"),
    path("posters.pdf", papers.posters_pdf, name="posters-pdf"),
    path("then/", moments.then, name="then"),
    path("then/<int:place>/", moments.then_sheet, name="then-sheet"),
    path("then/<int:place>/sheet.pdf", moments.then_pdf, name="then-pdf"),
    path("between/", moments.between, name="between"),
    path("sharing/", lists.sharing, name="sharing"),
    path("archive/", lists.archive, name="archive"),
    path("delete/", lists.delete, name="delete"),
    path("export/", files.export, name="export"),
    path("upgrade/", upgrades.upgrade, name="upgrade"),
]
urlpatterns = [
    path("", lists.front, name="front"),
    path("gangs/", lists.gangs, name="list"),
    path("gangs/new/", lists.choose_book, name="choose-book"),
    path("gangs/new/<slug:slug>/", lists.new, name="new"),
    path("gangs/import/", files.import_gang, name="import"),
    path("gangs/<uuid:gang>/", include(gang_urls)),
    path("rules/<slug:slug>/reference.pdf", references.of_game, name="reference"),
    path(
        "rules/version/<slug:digest>/reference.pdf",
        references.of_version,
        name="version-reference",
    ),
    path("s/<slug:key>/", sheets.shared, name="shared"),
    path("s/<slug:key>/sheet.pdf", sheets.shared_pdf, name="shared-pdf"),
    path(
        "s/<slug:key>/pictures/<int:size>/<slug:name>.jpg", pictures.shared, name="shared-picture"
    ),
]
