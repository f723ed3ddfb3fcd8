"""Spans of the real program, as others read them: the official protobuf messages of OpenTelemetry, and a collector.

The package opentelemetry-proto must be there; REIN_OTELCOL names a collector with the receiver otlp and the exporter
file (make test-otlp makes both)."""

import base64
import http.server
import json
import os
import socket
import subprocess
import tempfile
import threading
import unittest
import urllib.request

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from service_process import Service, soon

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
ROUNDS = 20
MODEL = {"actions": ["small", "large"], "context": 1, "costs": ["dollars"], "largest_costs": {"small": 0.1, "large": 0.2},
         "budgets": [{"name": "day", "cost": "dollars", "amount": 5, "per": "day", "hard": True}]}


class Traced:
    """rein serve with a collector; end() by SIGTERM, so that it sends what waits."""

    def __init__(self, url):
        self.folder = tempfile.TemporaryDirectory()
        self.service = Service(os.path.join(self.folder.name, "data"), otlp=url)
        self.ask("PUT", "", MODEL)

    def ask(self, method, path, body):
        asked = urllib.request.Request(f"http://127.0.0.1:{self.service.port}/v1/models/routing{path}",
                                       json.dumps(body).encode(), method=method,
                                       headers={"Content-Type": "application/json",
                                                "traceparent": f"00-{TRACE}-{PARENT}-01"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.load(answer)

    def metrics(self):
        client = self.service.client()
        try:
            return client.ask("GET", "/metrics")[2]
        finally:
            client.close()

    def end(self):
        assert self.service.terminate() == 0
        self.folder.cleanup()

    def rounds(self):
        """The ids of ROUNDS decisions whose outcomes came, and of a batch of two."""
        ids = []
        for _ in range(ROUNDS):
            ids.append(self.ask("POST", "/decide", {"context": [1]})["id"])
            self.ask("POST", "/outcome", {"id": ids[-1], "reward": 1, "costs": {"dollars": 0.05}})
        batch = self.ask("POST", "/decide", {"rounds": [{"context": [1]}, {"context": [1]}]})
        return ids + [each["id"] for each in batch["decisions"]]


def attributes(span):
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


def in_bytes(value):
    """Ids in hex, as OTLP has them, as the base64 that protobuf's own JSON has."""
    if isinstance(value, list):
        return [in_bytes(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: base64.b64encode(bytes.fromhex(part)).decode() if name in ("traceId", "spanId", "parentSpanId")
            else in_bytes(part) for name, part in value.items()}


def message(text):
    """The official message; json_format refuses fields, types and enumerations that it does not have."""
    return json_format.ParseDict(in_bytes(json.loads(text)), trace_service_pb2.ExportTraceServiceRequest())


class Otlp(unittest.TestCase):
    def check(self, spans, ids):
        decided = [attributes(span) for span in spans if span.name == "decide routing"]
        settled = [attributes(span) for span in spans if span.name == "outcome routing"]
        self.assertEqual([each["rein.decision"] for each in decided if "rein.decision" in each], ids)
        self.assertEqual([each["rein.decision"] for each in settled], ids[:ROUNDS])
        self.assertEqual({each["rein.result"] for each in settled}, {"applied"})
        self.assertEqual(len(spans), 2 * ROUNDS + 3)
        self.assertEqual({span.trace_id.hex() for span in spans}, {TRACE})
        own = {span.span_id for span in spans}
        self.assertEqual(len(own), len(spans))
        children = [span for span in spans if span.parent_span_id in own]
        self.assertEqual(len(children), 2)
        self.assertEqual({span.parent_span_id.hex() for span in spans if span not in children}, {PARENT})
        for span in spans:
            self.assertLess(span.start_time_unix_nano, span.end_time_unix_nano)

    def test_the_official_messages_take_them(self):
        bodies = []

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                assert (self.path, self.headers["Content-Type"]) == ("/v1/traces", "application/json")
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        service = Traced(f"http://127.0.0.1:{receiver.server_port}")
        ids = service.rounds()
        service.end()
        receiver.shutdown()
        receiver.server_close()
        scopes = [scope for body in bodies for part in message(body).resource_spans for scope in part.scope_spans]
        self.check([span for scope in scopes for span in scope.spans], ids)

    def test_a_field_that_the_messages_do_not_have_is_found(self):
        with self.assertRaises(json_format.ParseError):
            message('{"resourceSpans":[{"scopeSpans":[{"spans":[{"parentSpan":"00"}]}]}]}')

    @unittest.skipUnless(os.environ.get("REIN_OTELCOL"), "no collector: make test-otlp builds one where go is")
    def test_a_collector_takes_them(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = os.path.join(folder, "spans")
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            config = {"receivers": {"otlp": {"protocols": {"http": {"endpoint": f"127.0.0.1:{port}"}}}},
                      "exporters": {"file": {"path": kept, "flush_interval": "100ms"}},
                      "service": {"telemetry": {"metrics": {"level": "none"}},
                                  "pipelines": {"traces": {"receivers": ["otlp"], "exporters": ["file"]}}}}
            with open(os.path.join(folder, "otel.json"), "w", encoding="utf-8") as file:
                json.dump(config, file)
            collector = subprocess.Popen([os.environ["REIN_OTELCOL"], "--config", file.name], stderr=subprocess.DEVNULL)
            try:
                service = Traced(f"http://127.0.0.1:{port}")
                ids = service.rounds()
                soon(lambda: b"\nrein_telemetry_spans_total %d\n" % (2 * ROUNDS + 3) in service.metrics())
                self.assertIn(b"\nrein_telemetry_dropped_total 0\n", service.metrics())
                service.end()
            finally:
                collector.terminate()
                collector.wait(timeout=60)
            with open(kept, encoding="utf-8") as file:
                parts = [part for line in file for part in message(line).resource_spans]
            names = {each.key: each.value.string_value for each in parts[0].resource.attributes}
            self.assertEqual(names["service.name"], "rein")
            self.check([span for part in parts for scope in part.scope_spans for span in scope.spans], ids)


if __name__ == "__main__":
    unittest.main()
