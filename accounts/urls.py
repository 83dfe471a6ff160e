"""Addresses of notices, of one's own account beside those of django-allauth, and of the pages
about privacy and about who runs the site."""

from django.urls import path

from accounts import site_pages, views

notice_urls = [
    path("", views.notices, name="notices"),
    path("<int:notice>/", views.open_notice, name="notice"),
    path("read/", views.read_all, name="notices-read"),
    path("mail/", views.mail, name="notices-mail"),
]
own_account_urls = [
    path("farewell/", views.delete_account, name="farewell"),
    path("data/", views.download_data, name="own-data"),
]
site_page_urls = [
    path("privacy/", site_pages.privacy, name="privacy"),
    path("imprint/", site_pages.imprint, name="imprint"),
    path("<slug:key>/edit/", site_pages.edit, name="edit-site-page"),
]
