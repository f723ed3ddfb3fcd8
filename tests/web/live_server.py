"""A stand-in for the service, for tests of the page's own logic: it serves the files of the page under
their content policy, and sends whatever live object a test gives it. It decides nothing."""

import copy
import http.server
import json
import math
import os
import subprocess
import threading
import time
import urllib.parse

COSTS = ["dollars"]
NOW = int(time.time())
ACTIONS = ["small", "large", "refer"]


def budget(name="day", limit=5.0, spent=3.21, **more):
    found = {"name": name, "cost": "dollars", "kind": "hard", "per": "day", "scope": "", "limit": limit, "spent": spent,
             "held": 0.4, "left": limit - spent - 0.4, "window": 3, "first": NOW - 74880, "last": NOW + 11519, "ends_in": 11520,
             "over_holds": 0, "pace": 0.002, "rounds_left": 812.0, "past": False, "projected": 4.71, "plan": 3.1}
    return {**found, **more}


def key(name, limit, spent, own=False):
    return {"key": name, "own_amount": own, "limit": limit, "spent": spent, "held": 0.0, "left": limit - spent}


def history(points=120, actions=3, step=20):
    """Totals at even decisions: reward and shares drift, the price settles."""
    rows, reward, plays = [], 0.0, [0.0] * actions
    for n in range(1, points + 1):
        drift = n / points
        reward += step * (0.55 + 0.2 * drift + 0.03 * math.sin(n))
        weights = [1.6 - drift, 0.5 + drift + 0.15 * math.sin(n / 5)] + [0.4 / max(1, actions - 2)] * (actions - 2)
        plays = [have + step * w / sum(weights[:actions]) for have, w in zip(plays, weights)]
        rows.append({"decided": n * step, "learned": n * step - 6, "at": NOW - 9 * (points - n), "reward": reward,
                     "spent": [n * step * 0.0014 * (1 - 0.08 * math.sin(n / 9))], "allowed": [n * step * 0.00142],
                     "prices": [0.31 + 0.5 * math.exp(-n / 15) + 0.02 * math.sin(n / 3)], "plays": [round(x) for x in plays]})
    return rows


def decision(n, **more):
    state = ["open", "settled", "settled", "expired", "settled", "cancelled"][n % 6]
    action = n % 3 % 2
    return {"id": f"{0x9c3f00a1b2c40000 + n:016x}", "at": NOW - n, "action": ACTIONS[action],
            "probability": 0.12 + 0.83 * (n % 3 != 1), "best": "small", "price": [0.31],
            "estimates": [[0.71, 0.86, 0.4], [0.02, 0.61, 0.0]], "actions": ACTIONS, "scopes": {"tenant": "acme"} if n % 4 == 0 else {},
            "reward": 1 if state == "settled" else None, "costs": [0.0213 if state == "settled" else None], "state": state,
            "reason": "best score" if action == 0 else "explored", **more}


def live(model="ads", **more):
    found = {
        "model": model, "at": NOW + 1, "mode": "online", "policy": "ccb", "status": "ok", "advice": "", "alarms": [],
        "actions": ACTIONS, "costs": COSTS,
        "counts": {"decided": 2400, "open": 6, "learned": 2380, "expired": 9, "cancelled": 5, "late": 1, "refused": 2},
        "reward": {"total": 1571.25, "mean": 0.66019, "count": 2380}, "billed": {"dollars": 3.21}, "held": {"dollars": 0.4}, "price": {"dollars": 0.3127},
        "budgets": [budget(), budget("month", 100.0, 61.5, kind="steer", per="month", projected=103.4, plan=52.25, held=0.4,
                                     left=38.1, ends_in=1209600, window=10, rounds_left=40210.0)],
        "keys": [{"budget": "tenants", "cost": "dollars", "scope": "tenant", "named": True, "count": 3, "spent": 6.5, "held": 0.25,
                  "keys": [key("acme", 25.0, 4.0, True), key("beta", 15.0, 2.0), key("#00c0ffee00c0ffee", 5.0, 0.5)]}],
        "history": history(), "rate": {"decide": 12.3, "outcome": 11.9},
        "latency": {"decide": {"p50": 0.41, "p99": 2.35, "count": 738}, "outcome": {"p50": 0.38, "p99": 1.9, "count": 714}},
        "latest": [decision(n) for n in range(20)],
        "journal": {"entries": 4812, "commit_ms": {"p50": 0.31, "p99": 1.4}, "snapshot_at_entry": 4096}}
    return {**copy.deepcopy(found), **more}


def without_lists(data):
    return {key: value for key, value in data.items() if key not in ("history", "latest")}


class StandIn:
    """`models` is what it sends, by name; change it at will. `token` is what it asks for. While `down`, it
    ends every stream and refuses every request of the API. While `frozen`, streams stay open and say nothing."""

    def __init__(self, folder, port=0):
        said = subprocess.run([os.environ["REIN_LIVE_FILES"], folder], capture_output=True, check=True, text=True).stdout.splitlines()
        self.policy, self.assets = said[0], {}
        for line in said[1:]:
            path, kind, name = line.split("\t")
            with open(os.path.join(folder, name), "rb") as file:
                self.assets[path] = (kind, file.read())
        self.models, self.token, self.down, self.every, self.asked = {"ads": live()}, "", False, 0.1, []
        self.frozen = False
        self.answers = {}  # "windows" or "decisions": what to answer to a query
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a browser that hangs up
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def address(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def close(self):
        self.down = True
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request):
        path = request.path
        self.asked.append((path, request.headers.get("Authorization", "")))
        if path.startswith("/models/"):
            path = "/"
        if path in self.assets:
            return self.send(request, 200, *self.assets[path])
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            return self.refuse(request, 401, "token", "this token is not the one of the service")
        if self.down:
            return self.refuse(request, 503, "busy", "not now")
        if path == "/v1/models":
            rows = [{"name": name, "status": data.get("status")} for name, data in self.models.items()]
            return self.send(request, 200, "application/json", json.dumps({"models": rows}).encode())
        if path == "/v1/events":
            return self.stream(request, lambda: {"models": [without_lists(data) for data in self.models.values()]})
        wanted = urllib.parse.urlsplit(path)
        if wanted.path.endswith(("/windows", "/decisions")):  # what a test has put there
            found = self.answers.get(wanted.path.rsplit("/", 1)[1], lambda query: {})(dict(urllib.parse.parse_qsl(wanted.query)))
            return self.send(request, 200, "application/json", json.dumps(found).encode())
        name = path.removeprefix("/v1/models/").removesuffix("/events")
        if name not in self.models:
            return self.refuse(request, 404, "unknown", f'there is no model "{name}"')
        return self.stream(request, lambda: self.models[name])

    def refuse(self, request, status, code, message):
        body = json.dumps({"error": {"code": code, "message": message, "field": None}}).encode()
        self.send(request, status, "application/json", body)

    def send(self, request, status, kind, body):
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        request.send_header("Content-Security-Policy", self.policy)
        request.send_header("X-Content-Type-Options", "nosniff")
        request.end_headers()
        request.wfile.write(body)

    def stream(self, request, data):
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.send_header("Connection", "close")
        request.end_headers()
        request.close_connection = True
        try:
            while not self.down:
                if self.frozen:
                    time.sleep(self.every)
                    continue
                text = f"event: live\ndata: {json.dumps(data(), ensure_ascii=False)}\n\n".encode()
                half = len(text) // 2  # an event that comes in two pieces, cut anywhere
                request.wfile.write(text[:half])
                request.wfile.flush()
                time.sleep(0.01)
                request.wfile.write(text[half:])
                request.wfile.flush()
                time.sleep(self.every)
        except OSError:
            pass  # the page has gone
