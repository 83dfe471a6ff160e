"""The accounts app: who somebody is, and in which language they read."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Nothing to set up: django-allauth brings sign-up, sign-in and reset."""

    name = "accounts"
