"""The printing app."""

from django.apps import AppConfig


class PrintingConfig(AppConfig):
    """The press: what is to be printed, and what has been."""

    name = "printing"
