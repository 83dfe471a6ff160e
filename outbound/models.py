"""Stored devices of users."""

from outbound.push.models import PushDevice as PushDevice
