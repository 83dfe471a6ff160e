"""Addresses for whoever runs the site."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

app_name = "administration"
urlpatterns: list[URLPattern | URLResolver] = []
