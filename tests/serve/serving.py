"""The real program on a free port, and requests to it. Every answer is checked against docs/openapi.json."""

import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import jsonschema

ROOT = os.environ["REIN_SOURCE_DIR"]
REIN = os.environ["REIN_PROGRAM"]
with open(os.path.join(ROOT, "docs", "openapi.json"), encoding="utf-8") as file:
    DOCUMENT = json.load(file)
PATHS = [(re.compile("^" + re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)) + "$"), path) for path in DOCUMENT["paths"]]
PATIENCE = 120  # seconds until something counts as hung; a machine that does ten other things takes its time
JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}


def operation_of(method, path):
    """The path of the document, and what it says of the method."""
    path = path.replace("personalizer/v1.1-preview.3/", "personalizer/v1.0/")
    exact = [template for _, template in PATHS if template == path]
    for template in exact or [template for pattern, template in PATHS if pattern.match(path)]:
        if method.lower() in DOCUMENT["paths"][template]:
            return DOCUMENT["paths"][template][method.lower()]
    return None


def resolved(part):
    while "$ref" in part:
        for key in ("doc" + part["$ref"]).split("/"):
            part = DOCUMENT if key == "doc#" else part[key]
    return part


def check(value, schema, what):
    whole = {**schema, "components": DOCUMENT["components"]}
    wrong = [f"{error.json_path}: {error.message[:300]}"
             for error in jsonschema.Draft202012Validator(whole).iter_errors(value)]
    assert not wrong, f"{what}: {wrong[:5]}\n{json.dumps(value)[:500]}"


def _refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


def _once(pairs):
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), f"a key comes twice: {names}"
    return dict(pairs)


def parsed(text):
    return json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)


def soon(done):
    """What done() returns when that is true. It is asked again until then."""
    end = time.monotonic() + PATIENCE
    while not (found := done()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
    return found


class Answer:
    def __init__(self, response, body):
        self.status, self.headers, self.body = response.status, response.headers, body
        kind = (response.headers.get("Content-Type") or "").split(";")[0]
        self.kind = kind
        self.json = parsed(body) if kind == "application/json" and body else None
        self.lines = [parsed(line) for line in body.splitlines()] if kind == "application/x-ndjson" else None

    @property
    def error(self):
        assert self.json is not None, self.body
        return self.json["error"]


class Serving:
    """`rein serve` with its data in a folder of its own. kill() is kill -9; start() starts it again."""

    def __init__(self, *words, prepare=None, **environment):
        self.prepare = prepare  # called in the new process before the program
        self.folder = tempfile.TemporaryDirectory()
        self.words, self.environment = words, environment
        self.headers = {}
        self.start()

    def start(self):
        self.log = open(os.path.join(self.folder.name, "log"), "ab+")  # noqa: SIM115
        clean = {key: value for key, value in os.environ.items() if not key.startswith("REIN_")}
        self.process = subprocess.Popen(
            [REIN, "serve", "--port", "0", "--data", os.path.join(self.folder.name, "data"), *self.words],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env={**clean, **self.environment},
            preexec_fn=self.prepare)
        self.address = re.fullmatch(r"rein serves at http://(.+)\n", self.process.stdout.readline()).group(1)
        soon(lambda: self.raw("GET", "/readyz").status == 200)

    def kill(self):
        self.process.kill()
        self._ended()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def _ended(self):
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.log.seek(0)
        self.told = [json.loads(line) for line in self.log.read().splitlines()]
        self.log.close()
        return code

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self.folder.cleanup()

    def raw(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        try:
            connection.request(method, path, body=body, headers={**self.headers, **(headers or {})})
            response = connection.getresponse()
            return Answer(response, response.read().decode())
        finally:
            connection.close()

    def ask(self, method, path, body=None, headers=None):
        """The answer, which must be as the document says."""
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        answer = self.raw(method, path, text, {**(JSON if text is not None else {}), **(headers or {})})
        operation = operation_of(method, path.split("?")[0])
        what = f"{method} {path}: {answer.status}"
        if operation is None:
            assert answer.status >= 400, f"{what}: not in the document"
            check(answer.json, {"$ref": "#/components/schemas/Error"}, what)
            return answer
        responses = operation["responses"]
        told = responses.get(str(answer.status)) or (responses["default"] if answer.status >= 400 else None)
        assert told is not None, f"{what}: the document has no such answer: {answer.body[:300]}"
        content = resolved(told).get("content", {})
        if not content:
            assert answer.body == "", what
            return answer
        assert answer.kind in content, f"{what}: {answer.kind}, not one of {list(content)}"
        schema = content[answer.kind]["schema"]
        if answer.json is not None:
            check(answer.json, schema, what)
        for line in answer.lines or []:
            check(line, schema, what)
        if answer.status < 300 and body is not None and not isinstance(body, str):
            check(body, operation["requestBody"]["content"]["application/json"]["schema"], f"{what}, the request")
        return answer

    def good(self, method, path, body=None, **more):
        answer = self.ask(method, path, body, **more)
        assert answer.status < 300, f"{method} {path}: {answer.status} {answer.body[:500]}"
        return answer.json


class Model:
    """One model of a service: decide("m") is POST /v1/models/m/decide."""

    def __init__(self, serving, name, document):
        self.serving, self.path = serving, f"/v1/models/{name}"
        answer = serving.ask("PUT", self.path, document)
        assert answer.status == 201, answer.body

    def ask(self, method, verb, body=None, **more):
        return self.serving.ask(method, f"{self.path}/{verb}".rstrip("/"), body, **more)

    def good(self, method, verb, body=None, **more):
        return self.serving.good(method, f"{self.path}/{verb}".rstrip("/"), body, **more)

    def decide(self, **body):
        return self.good("POST", "decide", body)

    def outcome(self, **body):
        return self.good("POST", "outcome", body)["result"]

    def state(self):
        return self.good("GET", "state")

    def budget(self, name, query=""):
        return next(b for b in self.good("GET", "budgets" + query)["budgets"] if b["name"] == name)
