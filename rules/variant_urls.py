"""Addresses of players' variants."""

from django.urls import path

from rules import variant_file_views, variant_paste_views, variant_row_views, variant_views

app_name = "variants"
urlpatterns = [
    path("", variant_views.listed, name="list"),
    path("new/", variant_views.choose_book, name="choose-book"),
    path("new/<slug:slug>/", variant_views.new, name="new"),
    path("import/", variant_file_views.import_variant, name="import"),
    path("<uuid:variant>/", variant_views.desk, name="desk"),
    path("<uuid:variant>/name/", variant_views.name, name="name"),
    path("<uuid:variant>/publish/", variant_views.publish, name="publish"),
    path("<uuid:variant>/version/", variant_views.version, name="version"),
    path("<uuid:variant>/archive/", variant_views.archive, name="archive"),
    path("<uuid:variant>/states/<int:number>/", variant_views.restore, name="restore"),
    path("<uuid:variant>/undo/", variant_views.undo, name="undo"),
    path("<uuid:variant>/export/", variant_file_views.export, name="export"),
    path("<uuid:variant>/add/<str:table>/", variant_row_views.add, name="add"),
    path("<uuid:variant>/paste/<slug:group>/", variant_paste_views.paste, name="paste"),
    path("<uuid:variant>/tables/<str:table>/", variant_row_views.table, name="table"),
    path("<uuid:variant>/status/<str:table>/<str:row>/", variant_row_views.status, name="status"),
    path("<uuid:variant>/single/<str:table>/", variant_row_views.single, name="single"),
    path("<uuid:variant>/tables/<str:table>/<str:row>/", variant_row_views.row, name="row"),
]
