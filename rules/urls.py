"""Addresses of the rulebooks' pages."""

from django.urls import path

from rules import views

app_name = "rules"
urlpatterns = [
    path("rules/", views.books, name="books"),
    path("rules/<slug:slug>/", views.book, name="book"),
]
