"""Addresses of the pages about channels, and about games from other sites."""

from django.urls import path

from outbound.hooks import views as hooks_views
from outbound.shelves import views as shelves_views

hook_urls = (
    [
        path("<uuid:campaign_id>/channels/", hooks_views.channels, name="channels"),
        path("<uuid:campaign_id>/channels/<int:hook_id>/", hooks_views.channel, name="channel"),
        path("<uuid:campaign_id>/channels/<int:hook_id>/<slug:name>/", hooks_views.act, name="act"),
    ],
    "hooks",
)
shelf_urls = (
    [
        path("", shelves_views.shelves, name="list"),
        path("<uuid:shelf>/", shelves_views.shelf, name="shelf"),
        path("<uuid:shelf>/<slug:digest>/", shelves_views.fetch, name="fetch"),
        path("game/<uuid:foreign>/", shelves_views.game, name="game"),
        path("game/<uuid:foreign>/copy/", shelves_views.copy, name="copy"),
        path("game/<uuid:foreign>/forget/", shelves_views.forget, name="forget"),
    ],
    "shelves",
)
