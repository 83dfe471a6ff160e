"""The line between a browser and the site, which can be cut: the effect of flight mode on
everything in the browser, including its service worker. Firefox's driver only cuts the pages.
"""

from __future__ import annotations

import select
import socket
import socketserver
import struct
import threading
import time

# RFC 1928: version 5, without a name and password; granted.
GREETING, GRANTED = b"\x05\x00", b"\x05\x00\x00\x01" + bytes(6)
IPV4, NAME, IPV6 = 1, 3, 4
AT_ONCE = 65_536


class Line(socketserver.ThreadingTCPServer):
    """A SOCKS proxy on this machine for one browser. ``cut``: open connections break off, and
    nothing is answered until the line is mended. ``delay``: the seconds by which each request is
    held up.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Call)
        self.cut = False
        self.delay = 0.0
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self) -> str:
        """Return the proxy's address in the browser's notation."""
        return f"socks5://127.0.0.1:{self.server_address[1]}"

    def close(self) -> None:
        """Accept no more connections."""
        self.cut = True
        self.shutdown()
        self.server_close()

    def handle_error(self, *_about: object) -> None:
        """Say nothing when a client hangs up in the middle."""


class _Call(socketserver.BaseRequestHandler):
    request: socket.socket
    server: Line

    def handle(self) -> None:
        if self.server.cut:
            return
        _version, methods = self._read(2)
        self._read(methods)
        self.request.sendall(GREETING)
        with socket.create_connection(self._wanted()) as site:
            self.request.sendall(GRANTED)
            self._carry(site)

    def _read(self, number: int) -> bytes:
        found = b""
        while len(found) < number:
            more = self.request.recv(number - len(found))
            if not more:
                raise ConnectionError
            found += more
        return found

    def _wanted(self) -> tuple[str, int]:
        """Return the address that the browser asks to connect to."""
        _version, _connect, _reserved, kind = self._read(4)
        if kind == NAME:
            host = self._read(self._read(1)[0]).decode()
        else:
            family, length = {IPV4: (socket.AF_INET, 4), IPV6: (socket.AF_INET6, 16)}[kind]
            host = socket.inet_ntop(family, self._read(length))
        return host, struct.unpack("!H", self._read(2))[0]

    def _carry(self, site: socket.socket) -> None:
        """Copy bytes in both directions until one side ends."""
        ends = {self.request: site, site: self.request}
        while not self.server.cut:
            for end in select.select([*ends], [], [], 0.05)[0]:
                said = end.recv(AT_ONCE)
                if not said:
                    return
                if end is self.request:
                    time.sleep(self.server.delay)
                ends[end].sendall(said)
