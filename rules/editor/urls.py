"""Addresses of players' variants."""

from django.urls import path

from rules.editor import fairness_views, file_views, pasting, row_views, views

app_name = "variants"
urlpatterns = [
    path("", views.list_variants, name="list"),
    path("new/", views.choose_book, name="choose-book"),
    path("new/<slug:slug>/", views.new, name="new"),
    path("import/", file_views.import_variant, name="import"),
    path("<uuid:variant>/", views.edit, name="edit"),
    path("<uuid:variant>/name/", views.name, name="name"),
    path("<uuid:variant>/publish/", views.publish, name="publish"),
    path("<uuid:variant>/version/", views.version, name="version"),
    path("<uuid:variant>/archive/", views.archive, name="archive"),
    path("<uuid:variant>/states/<int:number>/", views.restore, name="restore"),
    path("<uuid:variant>/fair/", fairness_views.fair, name="fair"),
    path("<uuid:variant>/undo/", views.undo, name="undo"),
    path("<uuid:variant>/export/", file_views.export, name="export"),
    path("<uuid:variant>/add/<str:table>/", row_views.add, name="add"),
    path("<uuid:variant>/paste/<slug:group>/", pasting.paste, name="paste"),
    path("<uuid:variant>/tables/<str:table>/", row_views.table, name="table"),
    path("<uuid:variant>/status/<str:table>/<str:row>/", row_views.status, name="status"),
    path("<uuid:variant>/single/<str:table>/", row_views.row, name="single"),
    path("<uuid:variant>/tables/<str:table>/<str:row>/", row_views.row, name="row"),
]
