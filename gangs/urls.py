"""Addresses of gangs; ``printing.urls`` has those of their prints."""

from django.urls import URLPattern, URLResolver, include, path

from gangs.builder import views as builder_views
from gangs.files import list_views as files_list_views
from gangs.files import views as files_views
from gangs.history import views as history_views
from gangs.pages import copying as pages_copying
from gangs.pages import my_gangs
from gangs.pages import sharing as pages_sharing
from gangs.pages import sheet as pages_sheet
from gangs.pages import views as pages_views
from gangs.pictures import views as pictures_views
from gangs.snapshots import views as snapshots_views
from gangs.versions import views as versions_views

app_name = "gangs"

member_urls = [
    path("", builder_views.member, name="member"),
    path("points/", builder_views.points, name="points"),
    path("traits/", builder_views.traits, name="traits"),
    path("items/", builder_views.items, name="items"),
    path("dismissal/", builder_views.dismissal, name="dismissal"),
    path("double/", builder_views.double, name="double"),
    path("place/", builder_views.place_in_list, name="place"),
    path("career/", snapshots_views.career, name="career"),
    path("picture/", pictures_views.portrait, name="portrait"),
]
gang_urls: list[URLPattern | URLResolver] = [
    path("", builder_views.builder, name="builder"),
    path("about/", builder_views.about, name="about"),
    path("names/", builder_views.names, name="names"),
    path("members/", builder_views.members, name="members"),
    path("members/points/", builder_views.spread_all, name="spread-all"),
    path("members/order/", builder_views.order, name="order"),
    path("members/<int:member>/", include(member_urls)),
    path("stash/", builder_views.items, name="stash"),
    path("holdings/", builder_views.holdings, name="holdings"),
    path("own-items/", builder_views.own_items, name="own-items"),
    path("items/<int:item>/", builder_views.item, name="item"),
    path("badge/", pictures_views.badge, name="badge"),
    path("pictures/<int:size>/<slug:name>.jpg", pictures_views.picture, name="picture"),
    path("undo/", history_views.undo, name="undo"),
    path("redo/", history_views.redo, name="redo"),
    path("history/", history_views.history, name="history"),
    path("history/correct/", history_views.correct, name="correct"),
    path("history/new/", history_views.add, name="add-entry"),
    path("history/entries/<int:seq>/", history_views.edit, name="edit-entry"),
    path("history/<uuid:batch>/", history_views.strike, name="strike"),
    path("history/strikes/<int:act>/", history_views.restore, name="restore"),
    path("sheet/", pages_sheet.sheet, name="sheet"),
    path("then/", snapshots_views.then, name="then"),
    path("then/<int:place>/", snapshots_views.then_sheet, name="then-sheet"),
    path("between/", snapshots_views.between, name="between"),
    path("sharing/", pages_sharing.sharing, name="sharing"),
    path("text/", pages_sharing.gang_as_text, name="text"),
    path("copy/", pages_copying.copy, name="copy"),
    path("marks/", my_gangs.marks, name="marks"),
    path("archive/", pages_views.archive, name="archive"),
    path("delete/", pages_views.delete, name="delete"),
    path("export/", files_views.export, name="export"),
    path("upgrade/", versions_views.upgrade, name="upgrade"),
]
urlpatterns = [
    path("", pages_views.front, name="front"),
    path("gangs/", my_gangs.gangs, name="list"),
    path("gangs/new/", pages_views.choose_book, name="choose-book"),
    path("gangs/new/<slug:slug>/", pages_views.new, name="new"),
    path("gangs/import/", files_views.import_gang, name="import"),
    path("gangs/import/list/", files_list_views.import_list, name="import-list"),
    path("gangs/<uuid:gang>/", include(gang_urls)),
    path("code/", pages_sharing.enter_code, name="enter-code"),
    path("code/<slug:code>/", pages_sharing.by_code, name="by-code"),
    path("s/<slug:key>/", pages_sheet.show_shared, name="shared"),
    path("s/<slug:key>/code.svg", pages_sharing.shared_code, name="shared-code"),
    path("s/<slug:key>/text/", pages_sharing.shared_as_text, name="shared-text"),
    path(
        "s/<slug:key>/pictures/<int:size>/<slug:name>.jpg",
        pictures_views.show_shared,
        name="shared-picture",
    ),
]
