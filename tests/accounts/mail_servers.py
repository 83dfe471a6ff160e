"""Healthy and failing mail servers on the loopback address."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from typing import Any, Literal

# refusing: rejects every recipient; hanging: accepts the connection and never answers;
# half-dead: goes silent before the text of a mail; closing: hangs up there.
Health = Literal["well", "refusing", "hanging", "half-dead", "closing"]


@dataclass
class MailServer:
    """``received``: the mails that it accepted; ``asked``: the number of connections to it;
    ``health`` may change while it runs."""

    health: Health
    listening: socket.socket
    received: list[Message] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    asked: int = 0

    @property
    def mailers(self) -> dict[str, Any]:
        """Return the setting with which the site sends its mails here."""
        host, port = self.listening.getsockname()
        options = {"host": host, "port": port, "timeout": 1}
        backend = "django.core.mail.backends.smtp.EmailBackend"
        return {"default": {"BACKEND": backend, "OPTIONS": options}}

    def serve(self) -> None:
        """Accept connections until the server stops."""
        while not self.stopped.is_set():
            try:
                connection, _address = self.listening.accept()
            except OSError:
                return
            self.asked += 1
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection: socket.socket) -> None:
        """Hold one conversation."""
        with connection, connection.makefile("rwb", buffering=0) as line, suppress(OSError):
            if self.health == "hanging":
                self.stopped.wait(120)
                return
            line.write(b"220 here\r\n")
            while words := line.readline():
                command = words[:4].upper().strip()
                if command == b"DATA" and self.health == "half-dead":
                    self.stopped.wait(120)
                    return
                if command == b"DATA" and self.health == "closing":
                    return
                if command == b"DATA":
                    line.write(b"354 go on\r\n")
                    text = b""
                    while (row := line.readline()) != b".\r\n":
                        text += row
                    # Long enough for another process to interfere.
                    time.sleep(0.01)
                    self.received.append(message_from_bytes(text))
                if command == b"RCPT" and self.health == "refusing":
                    line.write(b"550 nobody of that name\r\n")
                else:
                    line.write(b"221 bye\r\n" if command == b"QUIT" else b"250 well\r\n")
                if command == b"QUIT":
                    return


@contextmanager
def mail_server(health: Health = "well") -> Iterator[MailServer]:
    """Run a server of this health during the block."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = MailServer(health, listening)
        threading.Thread(target=server.serve, daemon=True).start()
        try:
            yield server
        finally:
            server.stopped.set()
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
