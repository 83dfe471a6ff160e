"""Addresses of the rulebooks' pages."""

from django.urls import path

from rules import views

app_name = "rules"
urlpatterns = [
    path("rules/", views.books, name="books"),
    path("rules/version/<slug:digest>/", views.version, name="version"),
    path("rules/version/<slug:digest>/look-<slug:theme>.css", views.look, name="look"),
    path("rules/version/<slug:digest>/search/", views.version_search, name="version-search"),
    path("rules/version/<slug:digest>/<slug:key>/", views.version_chapter, name="version-chapter"),
    path("rules/<slug:slug>/", views.book, name="book"),
    path("rules/<slug:slug>/search/", views.book_search, name="search"),
    path("rules/<slug:slug>/<slug:key>/", views.chapter, name="chapter"),
]
