"""Addresses of games made from catalogues."""

from django.urls import path

from rules.importing import views

app_name = "importing"
urlpatterns = [
    path("", views.start, name="start"),
    path("<uuid:key>/", views.show, name="show"),
    path("<uuid:key>/answers/", views.answer, name="answer"),
    path("<uuid:key>/make/", views.make, name="make"),
    path("<uuid:key>/delete/", views.delete, name="delete"),
    path("notes/<uuid:document>/", views.notes, name="notes"),
]
