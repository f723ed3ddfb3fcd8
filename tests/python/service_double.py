"""A small HTTP server that misbehaves as a test tells it to: it drops connections, is busy, and counts.

It applies a request once per request_id, as the service does, so that a test can tell a safe retry from a double one.
"""

import contextlib
import http.server
import json
import threading
import time


class Double(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan = []  # one entry per request to come; none: "ok"
        self.seen = []  # (method, path, body, headers)
        self.applied = {}  # request_id -> answer
        self.connections = 0
        self.lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def process_request(self, request, client_address):
        self.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request, client_address):
        pass  # broken connections are what the tests are about


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do(self):
        server = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(body) if body else None
        with server.lock:
            server.seen.append((self.command, self.path, body, dict(self.headers)))
            todo = server.plan.pop(0) if server.plan else "ok"
            if todo == "drop before":
                self.close_connection = True
                return
            status, headers, answer = todo if isinstance(todo, tuple) else (200, {}, self.apply(body))
        if todo == "drop after":  # applied, but the answer is lost
            self.close_connection = True
            return
        if todo == "slow":
            time.sleep(0.5)
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) + (9 if todo == "cut" else 0)))
        self.end_headers()
        self.wfile.write(data)
        if todo in ("cut", "then close"):
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = do

    def apply(self, body):
        key = (body or {}).get("request_id") or f"none {len(self.server.seen)}"
        if key not in self.server.applied:
            n = len(self.server.applied)
            self.server.applied[key] = {
                "id": f"{n:016x}", "action": "small", "probability": 0.5, "probabilities": [0.5, 0.5],
                "actions": ["small", "large"], "price": {"dollars": 0.3}, "left": {"day": 3.21}, "status": "ok",
                "mode": "online", "holdout": "none", "result": "applied", "later": "a key of a newer service",
                "budgets": [{"name": "day", "limit": 5, "spent": 1, "held": 0}]}
        return self.server.applied[key]

    def log_message(self, *args):
        pass


@contextlib.contextmanager
def double():
    server = Double()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def refusal(status, code, message="no", field=None, **headers):
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, {
        "error": {"code": code, "message": message, "field": field}}
