"""Addresses of games made from catalogues."""

from django.urls import path

from rules.importing import newer_views, views

app_name = "importing"
urlpatterns = [
    path("", views.start, name="start"),
    path("<uuid:key>/", views.show, name="show"),
    path("<uuid:key>/answers/", views.answer, name="answer"),
    path("<uuid:key>/make/", views.make, name="make"),
    path("<uuid:key>/merge/", newer_views.merge, name="merge"),
    path("<uuid:key>/delete/", views.delete, name="delete"),
    path("newer/<uuid:document>/", newer_views.newer, name="newer"),
    path("notes/<uuid:document>/", views.notes, name="notes"),
]
