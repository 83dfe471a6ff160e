"""Addresses of games made from catalogues."""

from django.urls import path

from rules.importing import newer_views, views

app_name = "importing"
urlpatterns = [
    path("", views.start, name="start"),
    path("<uuid:upload>/", views.show, name="show"),
    path("<uuid:upload>/answers/", views.answer, name="answer"),
    path("<uuid:upload>/make/", views.make, name="make"),
    path("<uuid:upload>/merge/", newer_views.merge, name="merge"),
    path("<uuid:upload>/delete/", views.delete, name="delete"),
    path("newer/<uuid:document>/", newer_views.newer, name="newer"),
    path("notes/<uuid:document>/", views.notes, name="notes"),
]
