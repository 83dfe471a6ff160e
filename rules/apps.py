"""The rules app."""

from django.apps import AppConfig


class RulesConfig(AppConfig):
    """Rulebooks and the engine that reads them."""

    name = "rules"
