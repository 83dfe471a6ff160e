"""Addresses of the pages about channels."""

from django.urls import path

from outbound.hooks import views as hooks_views

hook_urls = (
    [
        path("<uuid:campaign_id>/channels/", hooks_views.channels, name="channels"),
        path("<uuid:campaign_id>/channels/<int:hook_id>/", hooks_views.channel, name="channel"),
        path("<uuid:campaign_id>/channels/<int:hook_id>/<slug:name>/", hooks_views.act, name="act"),
    ],
    "hooks",
)
