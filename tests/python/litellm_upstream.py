"""A provider on loopback that speaks what LiteLLM's surfaces send: OpenAI's paths and Anthropic's /messages."""

import contextlib
import http.server
import json
import threading

TOKENS = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _chat(model):
    return {"id": "c", "object": "chat.completion", "created": 1, "model": model, "usage": TOKENS,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "an arm"}, "finish_reason": "stop"}]}


def _chunks(model):
    one = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model}
    for word in ("an", " arm", " or", " two"):
        yield {**one, "choices": [{"index": 0, "delta": {"role": "assistant", "content": word}, "finish_reason": None}]}
    yield {**one, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {**one, "choices": [], "usage": TOKENS}


def _response(model):
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    text = {"type": "output_text", "text": "an arm", "annotations": []}
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    return {"id": "resp_1", "object": "response", "created_at": 1, "model": model, "status": "completed", "usage": usage,
            "output": [said], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}


def _events(model):
    whole = _response(model)
    yield {"type": "response.created", "sequence_number": 0,
           "response": {**whole, "status": "in_progress", "output": [], "usage": None}}
    yield {"type": "response.output_text.delta", "sequence_number": 1, "item_id": "m", "output_index": 0,
           "content_index": 0, "delta": "an arm", "logprobs": []}
    yield {"type": "response.completed", "sequence_number": 2, "response": whole}


def _answer(path, asked):
    model = asked.get("model", "")
    if path.endswith("/chat/completions"):
        return _chunks(model) if asked.get("stream") else _chat(model)
    if path.endswith("/completions"):
        return {"id": "c", "object": "text_completion", "created": 1, "model": model, "usage": TOKENS,
                "choices": [{"index": 0, "text": "an arm", "finish_reason": "stop"}]}
    if path.endswith("/responses"):
        return _events(model) if asked.get("stream") else _response(model)
    if path.endswith("/messages"):
        return {"id": "msg", "type": "message", "role": "assistant", "model": model, "stop_reason": "end_turn",
                "content": [{"type": "text", "text": "an arm"}], "usage": {"input_tokens": 10, "output_tokens": 5}}
    if path.endswith("/embeddings"):
        return {"object": "list", "model": model, "usage": {"prompt_tokens": 10, "total_tokens": 10},
                "data": [{"object": "embedding", "index": 0, "embedding": [0.1, 0.2]}]}
    return {"created": 1, "data": [{"b64_json": "AA=="}],
            "usage": {"input_tokens": 10, "output_tokens": 100, "total_tokens": 110,
                      "input_tokens_details": {"text_tokens": 10, "image_tokens": 0}}}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        upstream = self.server.upstream
        with upstream.lock:
            upstream.seen.append((self.path, asked))
            refused = upstream.refuses.pop(0) if upstream.refuses else None
        upstream.gate.wait(60)
        found = {"error": {"message": "not now"}} if refused else _answer(self.path, asked)
        self.send_response(refused or 200)
        if isinstance(found, dict):
            body = json.dumps(found).encode()
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(ConnectionError):  # the reader went away
            for each in found:
                self.wfile.write(b"data: " + json.dumps(each).encode() + b"\n\n")
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_):
        pass


class Upstream:
    """`refuses` are the statuses of its next answers; `seen` are the requests that came; `gate` holds answers back."""

    def __init__(self):
        self.seen, self.refuses, self.lock = [], [], threading.Lock()
        self.gate = threading.Event()
        self.gate.set()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.upstream = self
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
