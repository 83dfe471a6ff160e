"""Addresses of notices, and of one's own account beside those of django-allauth."""

from django.urls import path

from accounts import views

notice_urls = [
    path("", views.notices, name="notices"),
    path("<int:notice>/", views.open_notice, name="notice"),
    path("read/", views.read_all, name="notices-read"),
    path("mail/", views.mail, name="notices-mail"),
]
own_account_urls = [
    path("farewell/", views.delete_account, name="farewell"),
]
