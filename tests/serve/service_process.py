"""Starts `rein serve` in a folder, talks to it, and kills it. For tests; standard library only."""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import time

REIN = os.environ.get("REIN_PROGRAM", os.path.join(os.path.dirname(__file__), "../../build/rein"))


started = []


@atexit.register
def leave_nothing_behind():
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that this runs too


class Gone(Exception):
    """The service went away before it answered."""


def soon(done, seconds=120):
    """Waits until done() is true. Only a test that fails waits so long."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


class Client:
    """One connection that is kept open. It opens another after a failure."""

    def __init__(self, port, timeout=120):
        self.port, self.timeout, self.socket, self.rest = port, timeout, None, b""

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket, self.rest = None, b""

    def ask(self, method, path, body=None):
        """Returns (status, headers, body). Raises Gone if no whole answer came."""
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        head = (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n").encode()
        try:
            if self.socket is None:
                self.socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket.sendall(head + data)
            return self.read()
        except (OSError, Gone) as gone:
            self.close()
            raise Gone(str(gone)) from None

    def more(self):
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise Gone("the connection was closed")
        self.rest += piece

    def read(self):
        while b"\r\n\r\n" not in self.rest:
            self.more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        while len(self.rest) < length:
            self.more()
        body, self.rest = self.rest[:length], self.rest[length:]
        if headers.get("connection", "").lower() == "close":
            self.close()
        return int(lines[0].split()[1]), headers, body


class Service:
    """A running service. Its log goes to FOLDER.log."""

    def __init__(self, data, wait=True, prepare=None, user=None, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REIN_")}
        environment.update({f"REIN_{name.upper()}": str(value) for name, value in variables.items()})
        self.log_path = data.rstrip("/") + ".log"
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([REIN, "serve", "--data", data, "--port", "0"], stdout=subprocess.PIPE,
                                            stderr=log, env=environment, preexec_fn=prepare, user=user)
        started.append(self.process)
        line = self.process.stdout.readline().decode()
        if not line.startswith("rein serves at "):
            self.process.wait(120)
            return
        self.port = int(line.strip().rsplit(":", 1)[1])
        if wait:
            self.wait_until_ready()

    def wait_until_ready(self, seconds=120):
        client, end = Client(self.port), time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                status, _, answer = client.ask("GET", "/readyz")
                if status == 200:
                    client.close()
                    return
                if json.loads(answer)["error"]["code"] == "stopped":
                    break  # every model has, and that lasts
            except Gone:
                if self.process.poll() is not None:
                    break
            time.sleep(0.005)
        raise RuntimeError(f"the service did not get ready: {self.tail()}")

    def tail(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()[-20_000:]

    def client(self):
        return Client(self.port)

    def end(self, how):
        self.process.send_signal(how)
        code = self.process.wait(120)
        self.process.stdout.close()
        started.remove(self.process)
        return code

    def kill(self):
        """It must still be running: a service that ended by itself has a bug."""
        assert self.process.poll() is None, f"the service ended by itself: {self.tail()}"
        return self.end(signal.SIGKILL)

    def terminate(self):
        return self.end(signal.SIGTERM)


def tool(*words, timeout=600):
    """Runs a verb of the program. Returns the finished process."""
    return subprocess.run([REIN, *words], capture_output=True, text=True, timeout=timeout)
