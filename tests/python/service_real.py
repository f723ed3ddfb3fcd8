"""Starts and stops `rein serve` for tests, on a free port of the loopback address."""

import contextlib
import os
import socket
import subprocess


class Service:
    """The program, its folder and its port. It can be killed and started again."""

    def __init__(self, program, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.program, self.folder, self.process = program, folder, None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self, **environment):
        self.process = subprocess.Popen(
            [self.program, "serve", "--port", str(self.port), "--data", self.folder], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, **environment})

    def kill(self):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def service(program, folder, **environment):
    made = Service(program, folder)
    made.start(**environment)
    try:
        yield made
    finally:
        made.kill()
