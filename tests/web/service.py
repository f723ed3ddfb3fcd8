"""The real service in a folder of its own, on any free port, for tests and pictures of its page."""

import http.client
import json
import os
import re
import subprocess
import tempfile
import time

START = 120.0  # seconds until it must have said its address, on a busy machine


class Service:
    def __init__(self, program, *words, token=""):
        self.token = token
        self.folder = tempfile.TemporaryDirectory(prefix="rein_service_")
        self.said = os.path.join(self.folder.name, "said.txt")  # a file: nobody reads it later, so a pipe would fill
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen([os.path.abspath(program), "serve", "--data", os.path.join(self.folder.name, "data"), "--port", "0", *words],
                                            cwd=self.folder.name, stdout=said, stderr=subprocess.STDOUT,
                                            env={**os.environ, **({"REIN_TOKEN": token} if token else {})})
        self.port = self.read_port()
        self.wait_until_ready()

    def read_port(self):
        end, text = time.monotonic() + START, ""
        while time.monotonic() < end:
            has_ended = self.process.poll() is not None
            with open(self.said, encoding="utf-8", errors="replace") as file:
                text = file.read()
            found = re.search(r"http://127\.0\.0\.1:(\d+)", text)
            if found:
                return int(found[1])
            if has_ended:
                break
            time.sleep(0.05)
        self.close()
        raise RuntimeError(f"the service said no address: {text}")

    def wait_until_ready(self):
        end = time.monotonic() + START
        while self.ask("GET", "/readyz")[0] != 200:
            if time.monotonic() > end:
                raise RuntimeError("the service was never ready")
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(START)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def address(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=START)

    def ask(self, method, path, body=None, connection=None):
        """Status and answer; the answer is read as JSON where it is."""
        own = connection or self.connect()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        own.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = own.getresponse()
        text = answer.read()
        if connection is None:
            own.close()
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, json.loads(text) if is_json and text else text

    def get(self, path):
        status, answer = self.ask("GET", path)
        if status != 200:
            raise RuntimeError(f"GET {path}: {status} {answer}")
        return answer
