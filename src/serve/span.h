// Spans of OpenTelemetry, made from answers of the service: one per decision and one per outcome. Pure, but for ids.
// telemetry.h collects the answers and sends the spans. The form is OTLP in JSON (opentelemetry.io/docs/specs/otlp):
// ids in hex, 64-bit numbers as texts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rein::serve {

// What is kept of a request until its span is made.
struct TracedAnswer {
  bool outcome = false;     // or a decision
  std::string path;         // "/v1/models/routing/decide"
  std::string traceparent;  // of the caller, or empty
  std::int64_t begin_nanos = 0, end_nanos = 0;  // since 1970, in UTC
  int status = 200;
  bool repeated = false;  // the request_id had been answered before
  std::string body;       // of the answer
};

// Draws ids of spans and traces. They have nothing to do with the random numbers of models.
class SpanIds {
 public:
  explicit SpanIds(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();  // never 0

 private:
  std::uint64_t state_;
};

// A request to send: the spans of these answers, and how many they are. The span of a batch has one child per
// decision or outcome. `node` is the name of this node among several, or empty.
struct OtlpSpans {
  std::string text;
  std::int64_t count = 0;
};
OtlpSpans otlp_spans(std::span<const TracedAnswer> answers, std::string_view node, SpanIds& ids);

// Whether a caller wants its trace to be recorded: the last bit of a traceparent.
bool is_sampled(std::string_view traceparent);

}  // namespace rein::serve
