"""Starts and stops `rein serve` for tests, on a free port of the loopback address."""

import contextlib
import os
import subprocess
import time


class Service:
    """The program, its folder and its port. It can be killed and started again, on the same port."""

    def __init__(self, program, folder):
        self.program, self.folder, self.port = program, folder, 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self, **environment):
        end = time.monotonic() + 60
        while True:
            self.process = subprocess.Popen(
                [self.program, "serve", "--port", str(self.port), "--data", self.folder], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True, env={**os.environ, **environment})
            assert self.process.stdout is not None
            if line := self.process.stdout.readline():
                break
            self.kill()  # another program has taken the port since the last start
            assert time.monotonic() < end, "the service does not start"
            time.sleep(0.1)
        self.port = int(line.rsplit(":", 1)[1])

    def kill(self):
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


@contextlib.contextmanager
def service(program, folder, **environment):
    made = Service(program, folder)
    made.start(**environment)
    try:
        yield made
    finally:
        made.kill()
