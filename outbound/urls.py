"""Addresses of the pages about channels."""

from django.urls import path

from outbound.hooks import views as hooks_views

hook_urls = (
    [
        path("", hooks_views.channels, name="channels"),
        path("<int:hook_id>/", hooks_views.channel, name="channel"),
        path("<int:hook_id>/<slug:name>/", hooks_views.act, name="act"),
    ],
    "hooks",
)
