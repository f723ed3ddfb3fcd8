// What people are told, what they stop, and whose outcomes are learned.
#include "serve/oversight.h"

#include <gmock/gmock.h>

#include "serve/asking.h"
#include "serve/service_folder.h"
#include "journal/folder_model.h"

namespace rein::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWatched = R"({"policy":"uniform","actions":["a","b"],"costs":{"dollars":0.75},"seed":1,
    "notices":true,
    "budgets":[{"name":"day","cost":"dollars","amount":10,"per":"day","hard":true},
               {"name":"tenants","cost":"dollars","amount":{"acme":4,"*":2},"per":"day","hard":true,
                "scope":"tenant","named":true,"notices":[0.5],"pause_at":0.6}]})";

std::string notice(double share, const std::string& rest) {
  return R"("what":"threshold","share":)" + Json(share).str() + "," + rest;
}

class Oversights : public ::testing::Test {
 protected:
  Oversights() { service_.get("PUT", kModelPath, kWatched); }
  HttpResponse decide(const std::string& tenant) {
    return service_.ask("POST", "/v1/models/m/decide", R"({"scopes":{"tenant":")" + tenant + R"("}})");
  }
  void spend(const std::string& tenant, double cost) {
    const HttpResponse made = decide(tenant);
    ASSERT_EQ(made.status, 200) << made.body;
    pay(text_in(read_json(made.body), "id"), cost);
  }
  void pay(const std::string& id, double cost) {
    service_.get("POST", "/v1/models/m/outcome",
                 R"({"id":")" + id + R"(","reward":1,"costs":)" + Json(cost).str() + "}");
  }
  std::string read(const std::string& verb, const std::string& query = {}) {
    const HttpResponse got = service_.ask({.method = "GET", .path = "/v1/models/m/" + verb, .query = query});
    EXPECT_EQ(got.status, 200) << got.body;
    return got.body;
  }
  std::int64_t count() { return std::get<std::int64_t>(member(read_json(read("notices")), "last").is); }
  Asking service_;
};

TEST_F(Oversights, TellEachThresholdOncePerWindow) {
  for (int n = 0; n < 4; ++n) spend("t" + std::to_string(n), 0.25);
  EXPECT_EQ(count(), 0);
  for (int n = 0; n < 6; ++n) spend("u" + std::to_string(n), 0.75);  // 5.5 of 10
  EXPECT_EQ(count(), 1);
  EXPECT_THAT(read("notices"), HasSubstr(notice(0.5, R"("budget":"day","window":0,"spent":5.5,"limit":10})")));
  for (int n = 0; n < 2; ++n) spend("v" + std::to_string(n), 0.5);
  EXPECT_EQ(count(), 1);
  for (int n = 0; n < 4; ++n) spend("w" + std::to_string(n), 0.5);  // 8.5
  EXPECT_EQ(count(), 2);
  EXPECT_THAT(read("notices", "after=1"), HasSubstr(notice(0.8, R"("budget":"day")")));
  EXPECT_THAT(read("notices", "after=1"), Not(HasSubstr(R"("number":1,)")));
  service_.sleep(86'400);
  for (int n = 0; n < 10; ++n) spend("x" + std::to_string(n), 0.5);
  EXPECT_EQ(count(), 3) << "a new window tells again";
  EXPECT_THAT(read("notices", "most=1"), HasSubstr(R"("first":1,"last":3)"));
  EXPECT_THAT(service_.ask("GET", "/metrics").body, HasSubstr(R"(rein_notices_total{model="m"} 3)"));
  EXPECT_THAT(service_.ask("GET", "/metrics").body,
              HasSubstr(R"(rein_budget_threshold{model="m",budget="day"} 0.5)"));
}

TEST_F(Oversights, TellOfAKeyByItsName) {
  for (int n = 0; n < 4; ++n) spend("acme", 0.5);  // 2 of 4
  EXPECT_EQ(count(), 1);
  EXPECT_THAT(read("notices"), HasSubstr(notice(0.5, R"("budget":"tenants","window":0,"scope":"tenant","key":"acme")")));
}

TEST_F(Oversights, AKeyAtItsThresholdWaitsUntilSomebodyResumesIt) {
  spend("beta", 0.5);
  spend("beta", 0.5);
  const std::string open = text_in(read_json(decide("beta").body), "id");
  pay(open, 0.25);  // 1.25 of 2
  const HttpResponse refused = decide("beta");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr(R"("code":"paused")"));
  EXPECT_THAT(refused.body, HasSubstr("budget tenants has spent 62.5 % of its amount, and pause_at is 60 %"));
  EXPECT_THAT(refused.body, HasSubstr("/v1/models/m/resume"));
  EXPECT_EQ(decide("acme").status, 200) << "others go on";
  EXPECT_THAT(read("state"), HasSubstr(R"("paused":[{"scope":"tenant","key":"beta")"));
  EXPECT_THAT(read("live"), HasSubstr("tenant beta is paused"));
  const char* resume = R"({"scopes":{"tenant":"beta"},"request_id":"r1"})";
  EXPECT_THAT(service_.ask("POST", "/v1/models/m/resume", resume).body, HasSubstr("resumed"));
  EXPECT_THAT(service_.ask("POST", "/v1/models/m/resume", resume).body, HasSubstr("resumed")) << "the same answer";
  EXPECT_THAT(service_.ask("POST", "/v1/models/m/resume", R"({"scopes":{"tenant":"beta"}})").body,
              HasSubstr("unchanged"));
  spend("beta", 0.0);
  const std::string next = text_in(read_json(decide("beta").body), "id");
  ASSERT_FALSE(next.empty()) << "once per window";
  pay(next, 0.0);
  service_.sleep(86'400);
  spend("beta", 0.75);
  spend("beta", 0.5);
  EXPECT_EQ(decide("beta").status, 403) << "and again in the next one";
}

TEST_F(Oversights, OutcomesAreTakenWhileTheModelIsPaused) {
  const std::string open = text_in(read_json(decide("acme").body), "id");
  EXPECT_THAT(service_.ask("POST", "/v1/models/m/pause", R"({"why":"prices are wrong"})").body, HasSubstr("paused"));
  EXPECT_THAT(service_.ask("POST", "/v1/models/m/pause", "{}").body, HasSubstr("unchanged"));
  const HttpResponse refused = decide("acme");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("model m: paused since 1800000000: prices are wrong"));
  pay(open, 0.5);
  EXPECT_THAT(read("budgets"), HasSubstr(R"("spent":0.5)"));
  EXPECT_THAT(service_.ask("POST", "/v1/models/m/resume", "{}").body, HasSubstr("resumed"));
  EXPECT_EQ(decide("acme").status, 200);
}

TEST_F(Oversights, OfWrongRequestsAreRefused) {
  const auto refused = [&](const std::string& verb, const std::string& body) {
    const HttpResponse got = service_.ask("POST", "/v1/models/m/" + verb, body);
    EXPECT_EQ(got.status, 400) << verb << body << got.body;
    EXPECT_THAT(got.body, HasSubstr("accepted: ")) << verb << body;
  };
  const std::string before = service_.hashes();
  for (const char* body : {R"({"scopes":{"user":"x"}})", R"({"scopes":{}})", R"({"why":3})", R"({"who":"x"})"}) {
    refused("pause", body);
    refused("resume", body);
  }
  for (const char* body : {"{}", R"({"caller":"x","scopes":{"tenant":"acme"}})", R"({"caller":"x","lift":1})"}) {
    refused("quarantine", body);
  }
  for (const char* query : {"after=x", "most=1001", "first=1"}) {
    EXPECT_EQ(service_.ask({.method = "GET", .path = "/v1/models/m/notices", .query = query}).status, 400) << query;
  }
  EXPECT_EQ(service_.hashes(), before);
}

TEST_F(Oversights, NothingOfAKeyInQuarantineIsLearnedAndItsMoneyCounts) {
  service_.get("POST", "/v1/models/m/quarantine", R"({"scopes":{"tenant":"acme"},"why":"absurd"})");
  spend("acme", 0.5);
  spend("zeta", 0.25);
  EXPECT_THAT(read("state"), HasSubstr(R"("rounds":1,)"));
  EXPECT_THAT(read("state"), HasSubstr(R"("reward":1,)"));
  EXPECT_THAT(read("state"), HasSubstr(R"("quarantined":[{"scope":"tenant","key":"acme")"));
  EXPECT_THAT(read("budgets"), HasSubstr(R"("spent":0.75)"));
  EXPECT_THAT(read("state"), HasSubstr(R"("billed":{"dollars":0.75})"));
  service_.get("POST", "/v1/models/m/quarantine", R"({"scopes":{"tenant":"acme"},"lift":true})");
  spend("acme", 0.5);
  EXPECT_THAT(read("state"), HasSubstr(R"("rounds":2,)"));
}

TEST_F(Oversights, ThatChangeAreApplied) {
  std::string changed = kWatched;
  changed.replace(changed.find("[0.5]"), 5, "[0.25]");
  changed.replace(changed.find(",\"pause_at\":0.6"), 15, "");
  service_.get("POST", "/v1/models/m/apply", R"({"document":)" + changed + "}");
  spend("beta", 0.5);
  EXPECT_THAT(read("notices"), HasSubstr(notice(0.25, R"("budget":"tenants")")));
  spend("beta", 0.75);
  EXPECT_EQ(decide("beta").status, 200);
}

TEST_F(Oversights, OfADocumentAreChecked) {
  const auto refused = [&](const std::string& more, const std::string& field) {
    const HttpResponse got = service_.ask("PUT", "/v1/models/n", R"({"actions":2,"costs":{"d":1},"budgets":[
        {"name":"x","cost":"d","amount":1,"per":"day","scope":"tenant","notices":[0.5]}],)" + more + "}");
    EXPECT_EQ(got.status, 400) << more << got.body;
    EXPECT_THAT(got.body, HasSubstr(field)) << more;
  };
  refused(R"("notices":{"at":[0]})", "notices.at");
  refused(R"("notices":{"status":["ok"]})", "notices.status");
  refused(R"("notices":{"when":[1]})", "notices.when");
  refused(R"("callers":{"by":"user"})", "callers.by");
  refused(R"("callers":{"most_share":0})", "callers.most_share");
  EXPECT_EQ(service_.ask("PUT", "/v1/models/n", R"({"actions":2,"costs":{"d":1},"budgets":[
      {"name":"x","cost":"d","amount":1,"per":"day","pause_at":-1}]})").status, 400);
}

TEST_F(Oversights, AreInSnapshotsAndInRenewedJournals) {
  for (int n = 0; n < 4; ++n) spend("acme", 0.5);
  service_.get("POST", "/v1/models/m/pause", R"({"scopes":{"tenant":"beta"}})");
  std::promise<void> done;
  service_.service().read("m", [&](Model& model) {
    const std::string text = model.state().oversight.text();
    const auto renewed = ModelState::created(model.state().continuation());
    const auto restored = ModelState::restore(model.state().save());
    ASSERT_TRUE(renewed && restored);
    EXPECT_EQ(renewed.value().oversight.text(), text);
    EXPECT_EQ(restored.value().oversight.text(), text);
    EXPECT_EQ(restored.value().hash(), model.state().hash());
    EXPECT_THAT(text, HasSubstr("beta"));
    done.set_value();
  });
  done.get_future().wait();
}

TEST(OversightOnDisk, IsThereAfterARestart) {
  const Folder folder("oversight");
  std::uint64_t hash = 0;
  const auto spend = [](ServiceOnDisk& service, double cost) {
    const HttpResponse made = service.ask("POST", "/v1/models/m/decide", R"({"scopes":{"tenant":"acme"}})");
    ASSERT_EQ(made.status, 200) << made.body;
    const HttpResponse paid =
        service.ask("POST", "/v1/models/m/outcome",
                    R"({"id":")" + text_in(read_json(made.body), "id") + R"(","reward":1,"costs":)" + Json(cost).str() + "}");
    ASSERT_EQ(paid.status, 200) << paid.body;
  };
  {
    ServiceOnDisk service(folder.path());
    ASSERT_EQ(service.ask("PUT", "/v1/models/m", kWatched).status, 201);
    for (int n = 0; n < 3; ++n) spend(service, 0.75);
    service.ask("POST", "/v1/models/m/pause", R"({"why":"night"})");
    service.ask("POST", "/v1/models/m/quarantine", R"({"caller":"batch"})");
    hash = service.hash("m");
  }
  ServiceOnDisk service(folder.path());
  EXPECT_EQ(service.hash("m"), hash);
  EXPECT_EQ(service.ask("POST", "/v1/models/m/decide", R"({"scopes":{"tenant":"acme"}})").status, 403);
  service.ask("POST", "/v1/models/m/resume", "{}");
  const std::string before = service.ask("GET", "/v1/models/m/notices").body;
  EXPECT_THAT(before, HasSubstr(R"("last":4)"));
  spend(service, 0.125);
  EXPECT_EQ(service.ask("GET", "/v1/models/m/notices").body, before) << "50 % was told before the restart";
}

TEST(OversightState, ReadsBackWhatItWrites) {
  Oversight made;
  made.fold(7, R"({"what":"threshold","share":0.8,"budget":"day","window":3,"digest":"ab"})");
  made.fold(8, R"({"what":"status","status":"over","was":"ok"})");
  made.fold(9, R"({"what":"paused","scope":"tenant","key":"acme","digest":"cd","by":"ops","why":"x"})");
  made.fold(9, R"({"what":"quarantined","caller":"batch","by":"","why":""})");
  made.fold(9, R"({"what":"delivered","webhook":"ops","through":2})");
  made.fold_report(R"({"caller":"a","action":1,"reward":0.1,"costs":[null,0.30000000000000004],"learned":true})");
  Oversight read;
  read.read(read_json(made.text()));
  EXPECT_EQ(read.text(), made.text());
  EXPECT_EQ(read.count(), 4);
  EXPECT_EQ(read.delivered("ops"), 2);
  EXPECT_EQ(read.told("day", "ab", 3).level, 0.8);
  EXPECT_EQ(read.told("day", "ab", 4).level, 0.0);
  EXPECT_THROW(read.fold(9, R"({"what":"sung"})"), Refused);
}

}  // namespace
}  // namespace rein::serve
