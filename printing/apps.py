"""The printing app."""

from django.apps import AppConfig


class PrintingConfig(AppConfig):
    """The press: jobs to print, and prints to keep."""

    name = "printing"
