// Telemetry: spans of decisions and outcomes, sent to a collector of OpenTelemetry. Off unless rein.toml has
// [telemetry] otlp, or --otlp is given.
//
// The threads of the service only copy the answer into a bounded queue. A thread of its own makes spans (span.h) and
// sends them. Nothing waits for it: what does not fit is dropped and counted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http/client.h"
#include "http/server.h"
#include "serve/span.h"

namespace rein::serve {

struct TelemetryOptions {
  std::string otlp;     // http://HOST:PORT; empty: none
  double sample = 1.0;  // share of requests without a traceparent that get spans
  std::string node;     // the name of this node among several
  std::size_t most_waiting = 8192;                       // answers
  std::size_t most_waiting_bytes = std::size_t{16} << 20U;
};

struct TelemetryCounts {
  std::int64_t sent = 0;      // spans that the collector took
  std::int64_t dropped = 0;   // answers whose spans nobody got: no room, or no collector for too long
  std::int64_t failures = 0;  // requests to the collector that failed
};

class Telemetry {
 public:
  // kInvalid for an address that is none.
  static Result<std::shared_ptr<Telemetry>> make(TelemetryOptions options);
  // Sends what waits, for at most two seconds.
  ~Telemetry();
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;

  // The reply, or one that notes its answer, if the request decides or reports and its trace is recorded.
  std::shared_ptr<HttpReply> watch(const HttpRequest& request, std::shared_ptr<HttpReply> reply);
  void add(TracedAnswer answer);  // any thread; never waits
  TelemetryCounts counts() const;
  std::string metrics() const;  // in Prometheus' text format

 private:
  explicit Telemetry(TelemetryOptions options, std::string address, std::string target);
  void loop();
  void send(const std::vector<TracedAnswer>& answers);
  std::optional<Result<HttpResponse>> ask(const std::string& body);
  void tell(const std::string& why);

  TelemetryOptions options_;
  std::string address_, target_;
  SpanIds ids_;
  std::atomic<std::uint64_t> asked_ = 0;
  std::atomic<std::int64_t> sent_ = 0, dropped_ = 0, failures_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<TracedAnswer> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool ending_ = false;
  std::chrono::steady_clock::time_point end_;  // when the thread ends, whatever waits
  bool told_ = false;  // the log has that the collector does not answer
  HttpClient client_;
  std::thread thread_;
};

// Whether an address can be that of a collector: HOST:PORT and the path of its spans.
struct OtlpPlace {
  std::string address, target;
};
Result<OtlpPlace> otlp_place(std::string_view url);

}  // namespace rein::serve
