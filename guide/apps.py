"""The guide app: the documents for players as pages."""

from django.apps import AppConfig


class GuideConfig(AppConfig):
    """The guide for players. It has no tables."""

    name = "guide"
