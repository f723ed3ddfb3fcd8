// Spans of decisions and outcomes: their form, whose trace they join, and that nothing waits for a collector.
#include "serve/telemetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>

#include "../http/running_server.h"
#include "asking.h"
#include "base/size.h"
#include "rein/version.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

constexpr const char* kTrace = "0af7651916cd43dd8448eb211c80319c";
constexpr const char* kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const Json::List& list_in(const Json& object, std::string_view name) {
  return std::get<Json::List>(member(object, name).is);
}

Json::List spans_in(const Json& request) {
  const Json& resource = list_in(request, "resourceSpans").at(0);
  return list_in(list_in(resource, "scopeSpans").at(0), "spans");
}

// The value of an attribute as text; "" if it is not there.
std::string attribute(const Json& span, std::string_view name) {
  for (const Json& each : list_in(span, "attributes")) {
    if (text_in(each, "key") == name) return std::get<Json::Object>(member(each, "value").is).at(0).second.str();
  }
  return "";
}

Json::List spans_of(const TracedAnswer& answer) {
  SpanIds ids(1);
  return spans_in(read_json(otlp_spans(std::span(&answer, 1), "", ids).text));
}

TracedAnswer decided(std::string body, int status = 200) {
  return {.path = "/v1/models/routing/decide",
          .traceparent = kParent,
          .begin_nanos = 1'700'000'000'123'456'789,
          .end_nanos = 1'700'000'000'124'000'000,
          .status = status,
          .body = std::move(body)};
}

bool has_member(const Json& object, std::string_view name) {
  for (const auto& [key, value] : std::get<Json::Object>(object.is)) {
    if (key == name) return true;
  }
  return false;
}

TEST(Span, OfADecisionJoinsTheTraceOfItsCaller) {
  const Json span = spans_of(decided(R"({"id":"2c3d58181cfb2d7b","action":"large","probability":0.5,)"
                                     R"("probabilities":[0.5,0.5],"status":"ok","mode":"online"})"))
                        .at(0);
  EXPECT_EQ(text_in(span, "traceId"), kTrace);
  EXPECT_EQ(text_in(span, "parentSpanId"), "b7ad6b7169203331");
  EXPECT_EQ(text_in(span, "spanId").size(), 16u);
  EXPECT_EQ(text_in(span, "name"), "decide routing");
  EXPECT_EQ(text_in(span, "startTimeUnixNano"), "1700000000123456789");
  EXPECT_EQ(text_in(span, "endTimeUnixNano"), "1700000000124000000");
  EXPECT_EQ(attribute(span, "rein.model"), "\"routing\"");
  EXPECT_EQ(attribute(span, "rein.decision"), "\"2c3d58181cfb2d7b\"");
  EXPECT_EQ(attribute(span, "rein.action"), "\"large\"");
  EXPECT_EQ(attribute(span, "rein.probability"), "0.5");
  EXPECT_EQ(attribute(span, "rein.status"), "\"ok\"");
  EXPECT_EQ(attribute(span, "http.response.status_code"), "\"200\"");
  EXPECT_FALSE(has_member(span, "status"));
}

TEST(Span, OfARefusalHasItsCodeAndOnlyFailuresOfTheServiceAreErrors) {
  const Json refused = spans_of(decided(R"({"error":{"code":"budget","message":"no"}})", 429)).at(0);
  EXPECT_EQ(attribute(refused, "error.type"), "\"budget\"");
  EXPECT_FALSE(has_member(refused, "status"));
  const Json stopped = spans_of(decided(R"({"error":{"code":"stopped","message":"no"}})", 503)).at(0);
  EXPECT_EQ(member(stopped, "status").str(), R"({"code":2})");
}

TEST(Span, OfABatchHasAChildPerDecision) {
  const Json::List spans = spans_of(decided(R"({"decisions":[{"status_code":200,"id":"a","action":1},)"
                                            R"({"status_code":429,"error":{"code":"budget"}}]})"));
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(attribute(spans[0], "rein.batch"), "\"2\"");
  for (const std::size_t child : {1, 2}) {
    EXPECT_EQ(text_in(spans[child], "parentSpanId"), text_in(spans[0], "spanId"));
    EXPECT_EQ(text_in(spans[child], "traceId"), kTrace);
  }
  EXPECT_EQ(attribute(spans[1], "rein.action"), "\"1\"");
  EXPECT_EQ(attribute(spans[2], "error.type"), "\"budget\"");
  EXPECT_NE(text_in(spans[1], "spanId"), text_in(spans[2], "spanId"));
}

TEST(Span, OfARankCallReadsTheWordsOfThatService) {
  TracedAnswer answer = decided(R"({"ranking":[],"eventId":"e1","rewardActionId":"sport"})", 201);
  answer.path = "/v1/models/news/personalizer/v1.0/rank";
  EXPECT_EQ(attribute(spans_of(answer).at(0), "rein.action"), "\"sport\"");
  answer = {.outcome = true, .path = "/v1/models/news/personalizer/v1.0/events/e1/reward", .status = 204, .body = ""};
  EXPECT_EQ(attribute(spans_of(answer).at(0), "rein.decision"), "\"e1\"");
}

TEST(Span, WithoutACallersTraceBeginsOne) {
  TracedAnswer answer = decided("{}");
  answer.traceparent.clear();
  const Json span = spans_of(answer).at(0);
  EXPECT_EQ(text_in(span, "traceId").size(), 32u);
  EXPECT_FALSE(has_member(span, "parentSpanId"));
}

// A collector: a real server that keeps what it gets, and answers as it is told.
class Collector {
 public:
  explicit Collector(bool answers = true)
      : server_({}, [this, answers](HttpRequest request, std::shared_ptr<HttpReply> reply) {
          const std::lock_guard lock(mutex_);
          EXPECT_EQ(request.path, "/v1/traces");
          bodies_.push_back(request.body);
          if (!answers) {
            held_.push_back(std::move(reply));
          } else if (statuses_.empty()) {
            reply->send({.body = "{\"partialSuccess\":{}}", .headers = {}});
          } else {
            reply->send({.status = statuses_.front(), .body = answer_, .headers = {}});
            statuses_.pop_front();
          }
          wake_.notify_all();
        }) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
  void will_answer(std::deque<int> statuses, std::string body = "{}") {
    const std::lock_guard lock(mutex_);
    statuses_ = std::move(statuses);
    answer_ = std::move(body);
  }
  // All spans, once there are so many.
  Json::List spans(std::size_t count) {
    std::unique_lock lock(mutex_);
    Json::List all;
    wake_.wait(lock, [&] {
      all.clear();
      for (const std::string& body : bodies_) {
        for (const Json& each : spans_in(read_json(body))) all.push_back(each);
      }
      return all.size() >= count;
    });
    return all;
  }
  std::size_t requests() {
    const std::lock_guard lock(mutex_);
    return bodies_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> bodies_;
  std::vector<std::shared_ptr<HttpReply>> held_;
  std::deque<int> statuses_;
  std::string answer_;
  RunningServer server_;
};

std::shared_ptr<Telemetry> to(const Collector& collector, double sample = 1.0, std::size_t most_waiting = 8192) {
  return Telemetry::make({.otlp = collector.url(), .sample = sample, .node = "a", .most_waiting = most_waiting}).value();
}

TEST(Telemetry, SendsASpanPerDecisionAndOutcomeOfAService) {
  Collector collector;
  auto telemetry = to(collector);
  ServiceOptions options;
  options.in_memory = true;
  options.telemetry = telemetry;
  auto service = Service::open(options).value();
  service->recover().check();
  const auto ask = [&](const std::string& method, const std::string& verb, std::string body) {
    auto reply = std::make_shared<WaitingReply>();
    service->handle({.method = method, .path = kModelPath + verb, .body = std::move(body), .traceparent = kParent}, reply);
    return reply->wait();
  };
  EXPECT_EQ(ask("PUT", "", R"({"actions":["a","b"],"context":1})").status, 201);
  const std::string id = text_in(read_json(ask("POST", "/decide", R"({"context":[1]})").body), "id");
  EXPECT_EQ(ask("POST", "/outcome", R"({"id":")" + id + R"(","reward":1})").status, 200);
  EXPECT_EQ(ask("GET", "/state", "").status, 200);
  service.reset();
  telemetry.reset();  // sends what waits
  const Json::List spans = collector.spans(2);
  ASSERT_EQ(spans.size(), 2u) << "one that reads has none";
  for (const Json& span : spans) {
    EXPECT_EQ(text_in(span, "traceId"), kTrace);
    EXPECT_EQ(attribute(span, "rein.decision"), "\"" + id + "\"");
    EXPECT_LE(std::stoll(text_in(span, "startTimeUnixNano")), std::stoll(text_in(span, "endTimeUnixNano")));
  }
  EXPECT_EQ(attribute(spans[1], "rein.result"), "\"applied\"");
}

TEST(Telemetry, LeavesRepliesAloneThatAreNotSampled) {
  Collector collector;
  const auto telemetry = to(collector, 0.25);
  const std::shared_ptr<HttpReply> reply = std::make_shared<WaitingReply>();
  const auto watched = [&](const char* method, const char* path, const char* trace) {
    return telemetry->watch({.method = method, .path = path, .traceparent = trace}, reply) != reply;
  };
  EXPECT_TRUE(watched("POST", "/v1/models/m/decide", kParent));
  EXPECT_FALSE(watched("POST", "/v1/models/m/decide", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"));
  EXPECT_FALSE(watched("GET", "/v1/models/m/state", kParent));
  int count = 0;
  for (int i = 0; i < 10'000; ++i) count += watched("POST", "/v1/models/m/outcome", "") ? 1 : 0;
  EXPECT_NEAR(count, 2'500, 220);  // five standard deviations
}

TEST(Telemetry, DropsAndCountsWhatACollectorThatHangsDoesNotTake) {
  Collector collector(false);
  auto telemetry = to(collector, 1.0, 20);
  telemetry->add(decided("{}"));
  collector.spans(1);  // the thread waits for its answer now
  for (int i = 0; i < 100; ++i) telemetry->add(decided("{}"));
  EXPECT_EQ(telemetry->counts().dropped, 80);
  EXPECT_THAT(telemetry->metrics(), HasSubstr("\nrein_telemetry_dropped_total 80\n"));
  telemetry.reset();  // ends although nothing was answered
  EXPECT_EQ(collector.requests(), 1u);
}

TEST(Telemetry, HasNoMoreBytesWaitingThanItMay) {
  Collector collector(false);
  const auto telemetry =
      Telemetry::make({.otlp = collector.url(), .node = {}, .most_waiting_bytes = 100'000}).value();
  telemetry->add(decided("{}"));
  collector.spans(1);
  for (int i = 0; i < 10; ++i) telemetry->add(decided("{\"x\":\"" + std::string(30'000, 'x') + "\"}"));
  EXPECT_EQ(telemetry->counts().dropped, 7);
}

TEST(Telemetry, AsksAgainWhereTheCollectorIsBusyAndNotWhereItRefuses) {
  Collector collector;
  collector.will_answer({503, 400});
  auto telemetry = to(collector);
  telemetry->add(decided("{}"));
  collector.spans(2);  // the same twice: 503, and then 400
  telemetry->add(decided("{}"));
  collector.spans(3);
  const std::shared_ptr<Telemetry> kept = telemetry;
  while (kept->counts().sent == 0) std::this_thread::yield();
  EXPECT_EQ(kept->counts().failures, 2);
  EXPECT_EQ(kept->counts().dropped, 1);
  EXPECT_EQ(kept->counts().sent, 1);
}

TEST(Telemetry, CountsSpansThatTheCollectorRejected) {
  Collector collector;
  collector.will_answer({200}, R"({"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}})");
  auto telemetry = to(collector);
  telemetry->add(decided(R"({"decisions":[{"status_code":200},{"status_code":200}]})"));
  while (telemetry->counts().sent == 0) std::this_thread::yield();
  EXPECT_EQ(telemetry->counts().sent, 2);
  EXPECT_EQ(telemetry->counts().dropped, 1);
}

TEST(Telemetry, TakesOnlyAddressesOfCollectors) {
  for (const char* url : {"http://127.0.0.1:4318", "http://[::1]:4318/", "http://collector:4318/otlp"}) {
    EXPECT_TRUE(otlp_place(url)) << url;
  }
  EXPECT_EQ(otlp_place("http://collector:4318/otlp/").value().target, "/otlp/v1/traces");
  for (const char* url : {"", "127.0.0.1:4318", "https://collector:4318", "http://collector", "http://:4318",
                          "http://me:word@collector:4318", "http://collector:99999", "http://collector:4318/?a=b",
                          "http://col lector:4318"}) {
    const auto place = otlp_place(url);
    ASSERT_FALSE(place) << url;
    EXPECT_THAT(place.error(), HasSubstr("accepted: http://HOST:PORT"));
  }
}

}  // namespace
}  // namespace rein::serve
