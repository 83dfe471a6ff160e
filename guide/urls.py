"""Addresses of the guide."""

from django.urls import path

from guide import views

app_name = "guide"
urlpatterns = [
    path("", views.contents, name="contents"),
    path("<slug:chapter>/", views.chapter, name="chapter"),
]
