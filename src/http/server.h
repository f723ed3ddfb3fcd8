// HTTP/1.1 in and out, and nothing about models: requests become calls of a handler, and its replies
// become answers. parser.cc is the only file that knows Boost.Beast.
//
// What a handler gets was checked: framing, sizes, deadlines, the Host and Origin, the token, and
// that a body is JSON by its type. Everything else is the handler's matter.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/access.h"
#include "rein/result.h"

namespace rein::serve {

struct HttpRequest {
  std::string method;  // "GET", "POST", ...; HEAD comes as GET, and its answer goes without body
  std::string path;    // of the target, percent-decoded: "/v1/models/ads/decide"
  std::string query;   // after "?", as it came
  std::string body;    // complete
  std::string traceparent;  // the header, or empty
  std::string last_event;   // the header Last-Event-ID, or empty
  bool lines = false;       // the type of the body is application/x-ndjson
  bool token = false;       // the request brought a right token
  std::shared_ptr<const Access> access;  // of that token; null: the service's own, which may do everything
  std::string by;           // the name of the token, for the journal; empty: the service's own
  bool passed_on = false;   // Rein-Passed-By: another node sent it here, so it goes no further
  bool redirect = false;    // Rein-Redirect: the caller follows a 307 to the owner of the model
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;  // such as Retry-After
};

// A response that goes on: server-sent events. Thread-safe. Its destruction ends the response.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // Sends one event: "id: ...\nevent: ...\ndata: ...\n\n" is made by the caller. Returns false if
  // the reader has gone, or reads so slowly that too much waits; the stream is then closed. Many
  // streams may share an event, which is then in memory once.
  virtual bool send(std::shared_ptr<const std::string> event) = 0;
  bool send(std::string event) {
    return send(std::make_shared<const std::string>(std::move(event)));
  }
};

// The reply to a request. send() or stream() may be called once, from any thread, at once or later.
// If the reply is destroyed without an answer, the request gets 500.
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  virtual void send(HttpResponse response) = 0;
  // Takes memory for an answer of so many bytes before the work on it begins. False if the connections
  // hold all that they may: then the request should be refused. Small answers need not ask.
  virtual bool make_room(std::size_t /*bytes*/) { return true; }
  // Starts server-sent events (200, text/event-stream) in place of an answer.
  virtual std::shared_ptr<EventStream> stream() = 0;
};

// The answers that a thread sends during the life of a ReplyBatch go out together at its end, with
// one wake-up for all. For writers that answer many requests after one commit.
class ReplyBatch {
 public:
  ReplyBatch();
  ~ReplyBatch();
  ReplyBatch(const ReplyBatch&) = delete;
  ReplyBatch& operator=(const ReplyBatch&) = delete;

 private:
  bool outer_;  // another batch of this thread is alive, and this one does nothing
};

// Called on the threads of the server, so it must not block; with several threads, at the same time.
//
// For bodies in lines (application/x-ndjson), the handler is called once for every line, with the
// line as the body. Answers go out as lines in the order of the requests, whatever the order of
// send(): one JSON object per line, its status inside. At most `lines_at_once` are under way.
using HttpHandler = std::function<void(HttpRequest request, std::shared_ptr<HttpReply> reply)>;

// A request that was answered before the handler.
struct HttpRefused {
  int status = 0;
  std::string_view code;
  std::string_view method, path;  // empty if the refusal came before they were known
  std::string from;               // the address of the caller
};

struct HttpOptions {
  std::string address = "127.0.0.1";
  int port = 8080;    // 0: any free port
  std::string token;  // empty: none is asked for, and only loopback addresses are accepted
  std::vector<std::shared_ptr<const Access>> tokens;  // others, which may do less
  // Names besides the address itself that the Host header may have, such as "rein.example.com".
  // "localhost" and loopback addresses are always accepted while the service is bound to loopback. A
  // service that is bound to every address (0.0.0.0, ::) accepts every address, but only these names.
  std::vector<std::string> hosts;
  // Paths that need no token even if there is one. "/assets/*" stands for all paths that begin with
  // "/assets/".
  std::vector<std::string> open_paths = {"/healthz", "/readyz"};
  std::int64_t most_header_bytes = 16 << 10;
  std::int64_t most_body_bytes = 1 << 20;
  std::int64_t most_line_bytes = 64 << 10;
  int lines_at_once = 64;
  // Limit on the memory of all connections together: for bodies that came and are not answered, and
  // for answers that wait for their readers. The first 4 KiB that a request brings are free, so
  // small requests always have room.
  std::int64_t most_memory_bytes = 256 << 20;
  // Requests to paths that end like these may use memory that is kept back from the others.
  std::vector<std::string> first_paths;
  int most_connections =
      16'384;                 // lowered by make() to what the system's limit of descriptors allows
  int most_streams = 256;     // of events
  int kept_descriptors = 64;  // of files that are not connections
  double request_seconds = 10.0;  // from the first byte of a request to its last
  double idle_seconds = 75.0;     // between requests
  double ping_seconds = 15.0;     // without an event, a stream of events gets a comment
  int threads = 1;
  // Called for requests that are answered before the handler, on the threads of the server. May be empty.
  std::function<void(const HttpRefused&)> refused;
};

// Counts since the start, for /metrics.
struct HttpCounts {
  std::int64_t connections = 0;  // open now
  std::int64_t accepted = 0;
  std::int64_t requests = 0;  // calls of the handler; each line of a body in lines is a call
  std::int64_t refused =
      0;  // answered here, before the handler: 400, 401, 403, 408, 413, 415, 429, 431, 503
  std::int64_t wrong_tokens = 0;
  std::int64_t slow_readers = 0;  // closed because they did not take their answers
  std::int64_t streams = 0;       // of events, open now
  std::int64_t memory = 0;        // bytes that connections hold of their budget
  std::int64_t memory_peak = 0;
  // The largest amount of work of one turn of a loop: bytes sent, and 1 KiB per letter.
  std::int64_t longest_turn = 0;
};

// Shortest token for an address that other machines can reach. Shorter tokens can be guessed.
inline constexpr std::size_t kLeastTokenBytes = 16;

class HttpServer {
 public:
  // Refuses what make() refuses before it binds: an address that is none or that other machines can
  // reach without a token of kLeastTokenBytes, a port out of range, and memory for less than eight of
  // the largest bodies.
  static Result<> check(const HttpOptions& options);
  // Binds and listens; nothing is accepted before run(). Refuses an address that is not loopback if
  // there is no token, and a port that is in use.
  static Result<std::unique_ptr<HttpServer>> make(const HttpOptions& options, HttpHandler handler);
  virtual ~HttpServer() = default;
  virtual int port() const = 0;
  // Serves until stop() is called, which any thread may do, and signal handlers through a pipe.
  virtual void run() = 0;
  // Accepts nothing more, lets requests under way finish for at most so long, then returns from run().
  // Streams of events end at once, bodies in lines after the answers to the lines under way.
  virtual void stop(double seconds) = 0;
  virtual HttpCounts counts() const = 0;
};

}  // namespace rein::serve
