"""Addresses of players' own games."""

from django.urls import path

from rules.drafts import importing, preview, row_views, trying, views

app_name = "drafts"
urlpatterns = [
    path("", views.list_drafts, name="list"),
    path("new/", views.new, name="new"),
    path("import/", importing.import_game, name="import"),
    path("<uuid:draft>/", views.edit, name="edit"),
    path("<uuid:draft>/names/", views.basics, name="basics"),
    path("<uuid:draft>/languages/", views.languages, name="languages"),
    path("<uuid:draft>/look/", views.look, name="look"),
    path("<uuid:draft>/preview/", preview.preview, name="preview"),
    path("<uuid:draft>/publish/", views.publish, name="publish"),
    path("<uuid:draft>/share/", views.share, name="share"),
    path("<uuid:draft>/delete/", views.delete, name="delete"),
    path("<uuid:draft>/add/<str:table>/", row_views.add, name="add"),
    path("<uuid:draft>/tables/<str:table>/", row_views.table, name="table"),
    path("<uuid:draft>/act/<str:table>/<str:row>/", row_views.act, name="act"),
    path("<uuid:draft>/try/<str:table>/<str:row>/", trying.try_row, name="try"),
    path("<uuid:draft>/single/<str:table>/", row_views.row, name="single"),
    path("<uuid:draft>/tables/<str:table>/<str:row>/", row_views.row, name="row"),
]
