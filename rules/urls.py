"""Addresses of the rulebooks' pages; ``printing.urls`` has those of their prints."""

from django.urls import path

from rules import views
from rules.introducing import views as introduction_views
from rules.odds import views as odds_views
from rules.packages import views as packages_views
from rules.shelf import views as shelf_views
from rules.translations import views as translation_views

app_name = "rules"
urlpatterns = [
    path("rules/", shelf_views.books, name="books"),
    path("games/", shelf_views.games, name="games"),
    path("games/index.json", shelf_views.index, name="shelf"),
    path("editor/<uuid:document>/shelf/", shelf_views.edit, name="share"),
    path("rules/looks-<slug:theme>.css", views.looks, name="looks"),
    path("rules/version/<slug:digest>/", views.page, name="version"),
    path("rules/version/<slug:digest>/look-<slug:theme>.css", views.look, name="look"),
    path(
        "rules/version/<slug:digest>/rulebook.zip", packages_views.download, name="version-package"
    ),
    path("rules/version/<slug:digest>/odds/", odds_views.page, name="version-odds"),
    path(
        "rules/version/<slug:digest>/introduction/",
        introduction_views.page,
        name="version-introduction",
    ),
    path("rules/version/<slug:digest>/search/", views.search, name="version-search"),
    path("rules/version/<slug:digest>/<slug:key>/", views.page, name="version-chapter"),
    path("rules/<slug:slug>/", views.page, name="book"),
    path("rules/<slug:slug>/rulebook.zip", packages_views.download, name="package"),
    path("rules/<slug:slug>/odds/", odds_views.page, name="odds"),
    path("rules/<slug:slug>/introduction/", introduction_views.page, name="introduction"),
    path("rules/<slug:slug>/search/", views.search, name="search"),
    path("rules/<slug:slug>/translations/", translation_views.page, name="translations"),
    path("rules/<slug:slug>/translations/start/", translation_views.start, name="new-words"),
    path(
        "rules/<slug:slug>/translations/<slug:language>.po",
        translation_views.download,
        name="words",
    ),
    path(
        "rules/<slug:slug>/translations/<int:translation_id>/",
        translation_views.translation,
        name="translation",
    ),
    path("rules/<slug:slug>/<slug:key>/", views.page, name="chapter"),
]
