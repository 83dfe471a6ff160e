"""Addresses of the editor of variants and players' own games."""

from django.urls import path

from rules.editor import file_views, row_views, several, trying, views
from rules.editor.campaigns import views as campaign_views
from rules.editor.dice import views as dice_views
from rules.editor.fairness import views as fairness_views
from rules.editor.pasted import views as pasting

app_name = "editor"
urlpatterns = [
    path("", views.list_documents, name="list"),
    path("new/", views.new, name="new"),
    path("new/<slug:slug>/", views.new_variant, name="new-variant"),
    path("import/", file_views.import_file, name="import"),
    path("<uuid:document>/", views.edit, name="edit"),
    path("<uuid:document>/names/", views.names, name="names"),
    path("<uuid:document>/languages/", views.languages, name="languages"),
    path("<uuid:document>/look/", views.look, name="look"),
    path("<uuid:document>/campaign/", campaign_views.campaign, name="campaign"),
    path("<uuid:document>/dice/", dice_views.dice, name="dice"),
    path("<uuid:document>/dice/new/", dice_views.build, name="dice-new"),
    path("<uuid:document>/dice/rolls/<str:row>/", dice_views.build, name="dice-roll"),
    path("<uuid:document>/preview/", trying.preview, name="preview"),
    path("<uuid:document>/fair/", fairness_views.fair, name="fair"),
    path("<uuid:document>/export/", file_views.export, name="export"),
    path("<uuid:document>/publish/", views.publish, name="publish"),
    path("<uuid:document>/undo/", views.undo, name="undo"),
    path("<uuid:document>/states/<int:number>/", views.restore, name="restore"),
    path("<uuid:document>/version/", views.version, name="version"),
    path("<uuid:document>/archive/", views.archive, name="archive"),
    path("<uuid:document>/share/", views.share, name="share"),
    path("<uuid:document>/delete/", views.delete, name="delete"),
    path("<uuid:document>/tables/<str:table>/", row_views.table, name="table"),
    path("<uuid:document>/tables/<str:table>/<str:row>/", row_views.row, name="row"),
    path("<uuid:document>/single/<str:table>/", row_views.row, name="single"),
    path("<uuid:document>/add/<str:table>/", row_views.add, name="add"),
    path("<uuid:document>/paste/<str:table>/", pasting.paste, name="paste"),
    path("<uuid:document>/several/<str:table>/", several.change_several, name="several"),
    path("<uuid:document>/act/<str:table>/<str:row>/", row_views.act, name="act"),
    path("<uuid:document>/try/<str:table>/<str:row>/", trying.try_row, name="try"),
]
