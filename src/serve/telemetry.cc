#include "serve/telemetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "http/log.h"
#include "serve/json_in.h"

namespace rein::serve {
namespace {

// Of one request: a collector takes 4 MiB or more. A batch of decisions may be larger, and goes alone.
constexpr std::size_t kBatchAnswers = 512;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20U;
constexpr std::chrono::seconds kPeriod{1};  // between two requests, unless there is a batch before
constexpr std::chrono::milliseconds kDeadline{5'000};
constexpr std::chrono::seconds kLastWords{2};  // for what waits when the service ends
// A collector that does not answer is tried again after 1, 2, 4 and 8 seconds.
constexpr int kTries = 5;

std::int64_t nanos_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Notes the answer when it goes out.
class TracedReply final : public HttpReply {
 public:
  TracedReply(std::shared_ptr<HttpReply> to, Telemetry& telemetry, TracedAnswer answer)
      : to_(std::move(to)), telemetry_(telemetry), answer_(std::move(answer)) {}
  void send(HttpResponse response) override {
    // The wall clock may jump meanwhile; the duration does not.
    answer_.end_nanos = answer_.begin_nanos + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                  std::chrono::steady_clock::now() - since_)
                                                  .count();
    answer_.status = response.status;
    answer_.repeated = std::ranges::any_of(response.headers,
                                           [](const auto& each) { return each.first == "Rein-Repeated"; });
    answer_.body = response.body;
    telemetry_.add(std::move(answer_));
    to_->send(std::move(response));
  }
  bool make_room(std::size_t bytes) override { return to_->make_room(bytes); }
  std::shared_ptr<EventStream> stream() override { return to_->stream(); }

 private:
  std::shared_ptr<HttpReply> to_;
  Telemetry& telemetry_;
  TracedAnswer answer_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

std::size_t bytes_of(const TracedAnswer& answer) {
  return sizeof(TracedAnswer) + answer.path.size() + answer.traceparent.size() + answer.body.size();
}

// What a collector could not take of a request that it took.
std::int64_t rejected_in(const HttpResponse& answer) {
  try {
    const Json body = read_json(answer.body);
    const Json::Object* object = object_in(body);
    for (std::size_t i = 0; object != nullptr && i < object->size(); ++i) {
      if ((*object)[i].first != "partialSuccess") continue;
      Fields fields((*object)[i].second);
      const Json* count = fields.find("rejectedSpans");  // a text, as all 64-bit numbers
      const auto* text = count == nullptr ? nullptr : std::get_if<std::string>(&count->is);
      return text == nullptr ? 0 : std::stoll("0" + *text);
    }
  } catch (const std::exception&) {  // it took them; what else it says does not matter
  }
  return 0;
}

// Whether the collector may take them later: it was not reached, or says so.
bool may_try_again(const Result<HttpResponse>& got) {
  if (!got) return got.reason() == Reason::kUnknown;  // a request that it may have seen is not sent twice
  const int status = got.value().status;
  return status == 429 || (status >= 502 && status <= 504);
}

}  // namespace

Result<OtlpPlace> otlp_place(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  const std::string_view whole = url;
  const auto wrong = [&] {
    return Error{fmt::format("found \"{}\"; accepted: http://HOST:PORT, the address of a collector for OTLP over HTTP. "
                             "For one that speaks TLS run a collector on this machine",
                             whole.substr(0, 100)),
                 Reason::kInvalid};
  };
  if (!url.starts_with(kScheme)) return wrong();
  url.remove_prefix(kScheme.size());
  OtlpPlace place{.address = std::string(url.substr(0, url.find('/'))), .target = {}};
  std::string_view path = url.substr(place.address.size());
  while (path.ends_with('/')) path.remove_suffix(1);
  const auto plain = [](char c) { return c > 0x20 && c < 0x7f && c != '@' && c != '"' && c != '?' && c != '#'; };
  const std::size_t colon = place.address.rfind(':');
  const std::string_view port =
      colon == std::string::npos ? std::string_view() : std::string_view(place.address).substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 && std::ranges::all_of(port, [](char c) {
    return c >= '0' && c <= '9';
  });
  if (!digits || colon == 0 || std::stoi(std::string(port)) > 65'535 || !std::ranges::all_of(url, plain)) return wrong();
  place.target = std::string(path) + "/v1/traces";
  return place;
}

Result<std::shared_ptr<Telemetry>> Telemetry::make(TelemetryOptions options) {
  auto place = otlp_place(options.otlp);
  if (!place) return place.failure();
  return std::shared_ptr<Telemetry>(
      new Telemetry(std::move(options), std::move(place.value().address), std::move(place.value().target)));
}

Telemetry::Telemetry(TelemetryOptions options, std::string address, std::string target)
    : options_(std::move(options)),
      address_(std::move(address)),
      target_(std::move(target)),
      ids_((std::uint64_t{std::random_device{}()} << 32U) ^ std::random_device{}()),
      client_(1) {
  thread_ = std::thread([this] { loop(); });
}

Telemetry::~Telemetry() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    end_ = std::chrono::steady_clock::now() + kLastWords;
  }
  wake_.notify_one();
  thread_.join();
}

std::shared_ptr<HttpReply> Telemetry::watch(const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
  const std::string& path = request.path;
  const bool outcome = path.ends_with("/outcome") || path.ends_with("/reward");
  if (request.method != "POST" || (!outcome && !path.ends_with("/decide") && !path.ends_with("/rank"))) return reply;
  if (request.traceparent.empty()) {
    // The same share of any thousand requests, whatever thread they come on.
    SpanIds draw(asked_.fetch_add(1, std::memory_order_relaxed));
    if (static_cast<double>(draw.next() >> 11U) * 0x1p-53 >= options_.sample) return reply;
  } else if (!is_sampled(request.traceparent)) {
    return reply;
  }
  TracedAnswer answer{.outcome = outcome,
                      .path = path,
                      .traceparent = request.traceparent,
                      .begin_nanos = nanos_now(),
                      .body = {}};
  return std::make_shared<TracedReply>(std::move(reply), *this, std::move(answer));
}

void Telemetry::add(TracedAnswer answer) {
  const std::size_t bytes = bytes_of(answer);
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= options_.most_waiting || waiting_bytes_ + bytes > options_.most_waiting_bytes) {
      ++dropped_;
      return;
    }
    waiting_.push_back(std::move(answer));
    waiting_bytes_ += bytes;
    full = waiting_.size() == kBatchAnswers;
  }
  if (full) wake_.notify_one();
}

void Telemetry::loop() {
  std::vector<TracedAnswer> batch;
  for (;;) {
    batch.clear();
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, kPeriod, [&] { return ending_ || waiting_.size() >= kBatchAnswers; });
      if (ending_ && (waiting_.empty() || std::chrono::steady_clock::now() > end_)) {
        dropped_ += static_cast<std::int64_t>(waiting_.size());
        return;
      }
      std::size_t count = 0, bytes = 0;
      while (count < std::min(waiting_.size(), kBatchAnswers) && (count == 0 || bytes < kBatchBytes)) {
        bytes += bytes_of(waiting_[count++]);
      }
      const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
      std::move(waiting_.begin(), end, std::back_inserter(batch));
      waiting_.erase(waiting_.begin(), end);
      waiting_bytes_ -= bytes;
    }
    if (!batch.empty()) send(batch);
  }
}

// Sends one request and waits for its answer. None: the end of the service was not to wait longer.
std::optional<Result<HttpResponse>> Telemetry::ask(const std::string& body) {
  const auto answered = std::make_shared<std::optional<Result<HttpResponse>>>();
  client_.send({.address = address_, .method = "POST", .target = target_, .body = body, .headers = {}, .deadline = kDeadline},
               [this, answered](Result<HttpResponse> got) {
                 {
                   const std::lock_guard lock(mutex_);
                   answered->emplace(std::move(got));
                 }
                 wake_.notify_one();
               });
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return answered->has_value() || ending_; });
  if (!answered->has_value()) wake_.wait_until(lock, end_, [&] { return answered->has_value(); });
  if (!answered->has_value()) return std::nullopt;
  return std::move(*answered);
}

void Telemetry::send(const std::vector<TracedAnswer>& answers) {
  const OtlpSpans spans = otlp_spans(answers, options_.node, ids_);
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries > 0) {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, std::chrono::seconds(1 << (tries - 1)), [&] { return ending_; })) break;
    }
    const auto got = ask(spans.text);
    if (!got) break;
    if (*got && got->value().status / 100 == 2) {
      const std::int64_t rejected = std::min(rejected_in(got->value()), spans.count);
      sent_ += spans.count - rejected;
      dropped_ += rejected;
      return tell("");
    }
    ++failures_;
    tell(*got ? fmt::format("{}{} answered {}", address_, target_, got->value().status) : got->error());
    if (!may_try_again(*got)) break;
  }
  dropped_ += spans.count;
}

// The log has the first failure in a row, and that it is over.
void Telemetry::tell(const std::string& why) {
  if (why.empty() != told_) return;
  told_ = !told_;
  if (told_) {
    log("warning", "telemetry", {{"why", why}});
  } else {
    log("info", "telemetry", {{"why", "the collector answers again"}, {"dropped", dropped_.load()}});
  }
}

TelemetryCounts Telemetry::counts() const { return {sent_, dropped_, failures_}; }

std::string Telemetry::metrics() const {
  const TelemetryCounts now = counts();
  std::string out;
  const auto one = [&](std::string_view name, std::string_view help, std::int64_t value) {
    out += fmt::format("# HELP {} {}\n# TYPE {} counter\n{} {}\n", name, help, name, name, value);
  };
  one("rein_telemetry_spans_total", "Spans that the collector took.", now.sent);
  one("rein_telemetry_dropped_total", "Answers and spans that were dropped.", now.dropped);
  one("rein_telemetry_failures_total", "Requests to the collector that failed.", now.failures);
  return out;
}

}  // namespace rein::serve
