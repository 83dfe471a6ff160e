"""Addresses of the API and of the pages about it."""

from django.urls import URLPattern, URLResolver, include, path

from api import pages
from api.service import addresses

page_urls = (
    [
        path("", pages.documentation, name="documentation"),
        path("openapi.json", pages.openapi, name="openapi"),
    ],
    "api-docs",
)
token_urls = (
    [
        path("", pages.own_tokens, name="tokens"),
        path("<int:token_id>/delete/", pages.delete_token, name="delete-token"),
    ],
    "api-pages",
)
urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(page_urls)),
    path("v1/", include((addresses(), "api"))),
]
