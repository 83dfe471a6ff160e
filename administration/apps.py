"""The administration app."""

from django.apps import AppConfig


class AdministrationConfig(AppConfig):
    """What whoever runs the site needs: its state, its people, its files."""

    name = "administration"
