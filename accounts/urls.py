"""Addresses of notices, of one's own account beside those of django-allauth, and of the pages
about privacy and about who runs the site."""

from django.urls import path, re_path

from accounts import safe_views, site_pages, views

notice_urls = [
    path("", views.notices, name="notices"),
    path("<int:notice>/", views.open_notice, name="notice"),
    path("read/", views.read_all, name="notices-read"),
    path("mail/", views.mail, name="notices-mail"),
]
# In place of django-allauth's, whose names they bear.
own_account_urls = [
    path("signup/", safe_views.SignUp.as_view(), name="account_signup"),
    path("email/", safe_views.Email.as_view(), name="account_email"),
    re_path(
        r"^confirm-email/(?P<key>[-:\w]+)/$",
        safe_views.ConfirmEmail.as_view(),
        name="account_confirm_email",
    ),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        safe_views.ResetPassword.as_view(),
        name="account_reset_password_from_key",
    ),
    path("farewell/", views.delete_account, name="farewell"),
    path("data/", views.download_data, name="own-data"),
]
site_page_urls = [
    path("privacy/", site_pages.privacy, name="privacy"),
    path("imprint/", site_pages.imprint, name="imprint"),
    path("<slug:key>/edit/", site_pages.edit, name="edit-site-page"),
]
