// What a model may hold of decisions without an outcome: said when it is made, changed while it runs,
// and answered with a time to come back.
#include <gtest/gtest.h>

#include "serve/asking.h"
#include "serve/document.h"
#include "serve/model_life.h"

namespace rein::serve {
namespace {

constexpr const char* kHard =
    R"({"actions":["a","b"],"context":1,"costs":{"dollars":[0,1]},"reward":[0,1],"seed":3,"most_open":2,
        "budgets":[{"name":"all","cost":"dollars","amount":100,"hard":true,"rounds":1000}]})";

std::int64_t whole_in(const Json& object, std::string_view name) {
  return std::get<std::int64_t>(member(object, name).is);
}
std::string header(const HttpResponse& answer, std::string_view wanted) {
  for (const auto& [name, value] : answer.headers) {
    if (name == wanted) return value;
  }
  return "";
}

TEST(OpenLimits, AModelThatSaysNothingExpiresDecisionsAfterSevenDaysAndSaysSo) {
  Asking service;
  const Json made = service.get("PUT", "/v1/models/m", R"({"actions":2})");
  EXPECT_EQ(whole_in(member(made, "limits"), "expire_after"), 7 * 86'400);
  EXPECT_EQ(whole_in(member(made, "limits"), "most_open"), 10'000);
  const Json read = service.get("GET", "/v1/models/m");
  EXPECT_EQ(member(read, "limits").str(), member(made, "limits").str());
  service.get("POST", "/v1/models/m/decide", R"({})");
  service.sleep(7 * 86'400 + 1);
  service.get("POST", "/v1/models/m/decide", R"({})");
  EXPECT_EQ(whole_in(service.get("GET", "/v1/models/m/state"), "expired"), 1);
}

TEST(OpenLimits, ARefusalSaysWhenTheOldestDecisionExpires) {
  Asking service;
  service.get("PUT", "/v1/models/m", kHard);
  service.get("PATCH", "/v1/models/m", R"({"expire_after":100})");
  service.get("POST", "/v1/models/m/decide", R"({"context":[1]})");
  service.sleep(30);
  service.get("POST", "/v1/models/m/decide", R"({"context":[1]})");
  const HttpResponse full = service.ask("POST", "/v1/models/m/decide", R"({"context":[1]})");
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(header(full, "Retry-After"), "71");
  const Json state = service.get("GET", "/v1/models/m/state");
  EXPECT_EQ(text_in(state, "status"), "crowded");
  EXPECT_NE(text_in(state, "advice").find("expire_after"), std::string::npos);
  service.sleep(71);
  service.get("POST", "/v1/models/m/decide", R"({"context":[1]})");
  service.get("PATCH", "/v1/models/m", R"({"expire_after":0})");
  const HttpResponse never = service.ask("POST", "/v1/models/m/decide", R"({"context":[1]})");
  EXPECT_EQ(never.status, 503);
  EXPECT_EQ(header(never, "Retry-After"), "60");
}

// Outcomes may make room at any moment, and clients sleep as long as they are told.
TEST(OpenLimits, NobodyIsToldToWaitForMoreThanAnHour) {
  Asking service;
  service.get("PUT", "/v1/models/m", kHard);
  for (const char* expiry : {"3600", "604800", "4611686018427387904"}) {
    service.get("PATCH", "/v1/models/m", R"({"expire_after":)" + std::string(expiry) + "}");
    HttpResponse full;
    for (int n = 0; n < 3 && full.status != 503; ++n)
      full = service.ask("POST", "/v1/models/m/decide", R"({"context":[1]})");
    EXPECT_EQ(full.status, 503);
    EXPECT_EQ(header(full, "Retry-After"), "3600") << expiry;
  }
}

// A tenant too many: until the window of the others ends, for every call that needs a place.
TEST(KeyLimits, ANewKeyWithoutAPlaceIsToldWhenToComeBack) {
  Asking service;
  service.get("PUT", "/v1/models/m",
              R"({"actions":["a","b"],"context":1,"costs":{"dollars":[0,1]},"reward":[0,1],"seed":3,
                  "most_keys":2,"budgets":[{"name":"each","cost":"dollars","amount":5,"hard":true,
                                            "per":"day","scope":"tenant"}]})");
  const std::string decide = "/v1/models/m/decide";
  const auto of = [](const std::string& tenant) {
    return R"({"context":[1],"scopes":{"tenant":")" + tenant + R"("}})";
  };
  for (const char* tenant : {"t1", "t2"}) {
    const Json made = service.get("POST", decide, of(tenant));
    service.get("POST", "/v1/models/m/outcome",
                R"({"id":")" + text_in(made, "id") + R"(","reward":1,"costs":0.5})");
  }
  const std::int64_t now = whole_in(service.get("GET", "/v1/models/m/state"), "now");
  const std::int64_t rest = 86'400 - now % 86'400;
  EXPECT_GT(rest, 3600);
  EXPECT_EQ(header(service.ask("POST", decide, of("t3")), "Retry-After"), "3600") << "no longer";
  service.sleep(rest - 1234);
  const std::string wait = "1234";
  const HttpResponse full = service.ask("POST", decide, of("t3"));
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(header(full, "Retry-After"), wait);
  EXPECT_NE(full.body.find("most_keys"), std::string::npos) << full.body;
  const HttpResponse batch = service.ask("POST", decide, R"({"rounds":[)" + of("t3") + "," + of("t1") + "]}");
  EXPECT_NE(batch.body.find(R"("retry_after":)" + wait), std::string::npos) << batch.body;
  EXPECT_NE(batch.body.find(R"("probability")"), std::string::npos) << "t1 has a place";
  const HttpResponse top_up = service.ask("PATCH", "/v1/models/m/budgets",
                                          R"({"budget":"each","top_up":1,"scopes":{"tenant":"t3"}})");
  EXPECT_EQ(top_up.status, 503) << top_up.body;
  EXPECT_EQ(header(top_up, "Retry-After"), wait);
  const Json tenants = member(member(service.get("GET", "/v1/models/m/state"), "keys"), "tenant");
  EXPECT_EQ(whole_in(tenants, "keys"), 2);
  EXPECT_EQ(whole_in(tenants, "most"), 2);
  EXPECT_EQ(whole_in(tenants, "in_use"), 1);
  const std::string metrics = service.ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find("rein_keys{model=\"m\",scope=\"tenant\"} 2"), std::string::npos);
  EXPECT_NE(metrics.find("rein_keys_limit{model=\"m\",scope=\"tenant\"} 2"), std::string::npos);
  service.sleep(std::stoll(wait));
  EXPECT_EQ(service.ask("POST", decide, of("t3")).status, 200);
}

TEST(OpenLimits, DecisionsWhoseCostsCameGiveWayAndAreCounted) {
  Asking service;
  service.get("PUT", "/v1/models/m", kHard);
  std::string first;
  for (int n = 0; n < 5; ++n) {
    const Json made = service.get("POST", "/v1/models/m/decide", R"({"context":[1]})");
    if (n == 0) first = text_in(made, "id");
    service.get("POST", "/v1/models/m/outcome",
                R"({"id":")" + text_in(made, "id") + R"(","costs":0.5})");
  }
  const Json state = service.get("GET", "/v1/models/m/state");
  EXPECT_EQ(whole_in(state, "open"), 2);
  EXPECT_EQ(whole_in(state, "gave_way"), 3);
  const HttpResponse late = service.ask("POST", "/v1/models/m/outcome",
                                        R"({"id":")" + first + R"(","reward":1})");
  EXPECT_EQ(late.status, 404);
  EXPECT_NE(late.body.find("\"expired\""), std::string::npos) << late.body;
  const std::string metrics = service.ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find("rein_gave_way_total{model=\"m\"} 3"), std::string::npos);
  EXPECT_NE(metrics.find("rein_open_decisions_limit{model=\"m\"} 2"), std::string::npos);
}

TEST(OpenLimits, AChangeIsJournaledAndARefusedOneChangesNothing) {
  const std::shared_ptr<Journal> journal = make_memory_journal();
  std::int64_t wall = 1'800'000'000;
  auto model = Model::create("m", kHard, std::make_unique<LentJournal>(journal),
                             {.folder = "", .wall = [&] { return wall; }})
                   .value();
  const auto patch = [&](const char* body) {
    model->begin();
    HttpResponse answer = model->call({.method = "PATCH", .body = body});
    model->commit().check();
    return answer;
  };
  EXPECT_EQ(patch(R"({"most_open":7,"expire_after":50})").status, 200);
  EXPECT_EQ(model->engine().options().most_open, 7);
  const std::uint64_t hash = model->state().hash();
  EXPECT_EQ(hash_of_fold(*journal), hash);
  for (const char* bad : {R"({"most_open":0})", R"({"expire_after":-1})", R"({"most_open":"x"})",
                          R"({"most_open":5,"mode":"shadow"})"}) {
    EXPECT_EQ(patch(bad).status, 400) << bad;
  }
  EXPECT_EQ(model->engine().options().most_open, 7);
  EXPECT_EQ(model->state().hash(), hash);
  const auto folded = fold_journal(*journal, {});
  EXPECT_EQ(folded.value().engine.options().expire_after, 50);
}

TEST(OpenLimits, TheSameOutcomeLongAfterwardsIsForgottenAndBookedOnce) {
  Asking service;
  service.get("PUT", "/v1/models/m",
              R"-({"actions":2,"costs":{"dollars":[0,1]},"policy":"ccb(rate=0.5)","remember":4})-");
  std::vector<std::string> bodies;
  for (int n = 0; n < 9; ++n) {
    const Json made = service.get("POST", "/v1/models/m/decide", R"({})");
    bodies.push_back(R"({"id":")" + text_in(made, "id") + R"(","reward":1,"costs":0.25})");
    service.get("POST", "/v1/models/m/outcome", bodies.back());
  }
  const std::string before = service.hashes();
  EXPECT_EQ(text_in(service.get("POST", "/v1/models/m/outcome", bodies[8]), "result"), "duplicate");
  EXPECT_EQ(text_in(service.get("POST", "/v1/models/m/outcome", bodies[0]), "result"), "forgotten");
  const Json state = service.get("GET", "/v1/models/m/state");
  EXPECT_EQ(std::get<double>(member(member(state, "billed"), "dollars").is), 2.25);
  EXPECT_EQ(whole_in(state, "learned"), 9);
  EXPECT_EQ(service.hashes(), before);
}

}  // namespace
}  // namespace rein::serve
