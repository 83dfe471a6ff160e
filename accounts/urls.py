"""Addresses of notices, of the user's own account, and of the pages about privacy and imprint."""

from django.urls import path, re_path

from accounts import site_pages, views
from accounts.authentication import invitations, safe_views, sign_up, two_factor

notice_urls = [
    path("", views.notices, name="notices"),
    path("<int:notice>/", views.open_notice, name="notice"),
    path("read/", views.read_all, name="notices-read"),
    path("mail/", views.mail, name="notices-mail"),
]
own_account_urls = [
    path("", views.account, name="account"),
    path("sessions/end/", views.end_other_sessions, name="end-other-sessions"),
    path("invitations/", invitations.site_invitations, name="site-invitations"),
    path(
        "invitations/<int:invitation>/withdraw/",
        invitations.withdraw,
        name="withdraw-invitation",
    ),
    # These replace django-allauth's addresses of the same names.
    path("two-factor/totp/activate/", two_factor.Activate.as_view(), name="mfa_activate_totp"),
    path(
        "two-factor/totp/deactivate/", two_factor.Deactivate.as_view(), name="mfa_deactivate_totp"
    ),
    path("signup/", sign_up.SignUp.as_view(), name="account_signup"),
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
