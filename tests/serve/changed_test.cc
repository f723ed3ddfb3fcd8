// A changed document: what differs, what is applied; models that are archived; explanations after the outcome.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "serve/asking.h"
#include "serve/difference.h"
#include "serve/service_folder.h"

namespace rein::serve {
namespace {

using ::testing::HasSubstr;

std::string document_of(const std::string& amount, const std::string& more = "") {
  return R"({"policy":"uniform","actions":["a","b"],"costs":{"dollars":1},"seed":1,"budgets":[{"name":"day",
      "cost":"dollars","amount":)" + amount + R"(,"per":"day","hard":true}])" + more + "}";
}

std::string apply_body(const std::string& document) { return R"({"document":)" + document + "}"; }

TEST(Differences, AreNamedFieldByField) {
  const auto found = differences(read_json(document_of("50")),
                                 read_json(document_of("60", R"(,"mode":"shadow","baseline":"a","remember":null)")));
  EXPECT_EQ(in_words(found),
            R"(baseline: nothing became "a"; budgets.day.amount: 50 became 60; mode: nothing became "shadow")");
  EXPECT_THAT(what_to_do(found), HasSubstr("rein serve --apply"));
  const auto other = differences(read_json(document_of("50")), read_json(document_of("50", R"(,"context":2)")));
  EXPECT_THAT(what_to_do(other), HasSubstr("context cannot change while the model runs"));
  EXPECT_TRUE(differences(read_json(R"({"a":{"b":1,"c":2}})"), read_json(R"({"a":{"c":2,"b":1}})")).empty());
}

TEST(ChangedDocument, SaysWhatDiffers) {
  Asking service;
  service.get("PUT", kModelPath, document_of("50"));
  const HttpResponse got = service.ask("PUT", kModelPath, document_of("60"));
  EXPECT_EQ(got.status, 409);
  EXPECT_THAT(got.body, HasSubstr("budgets.day.amount: 50 became 60"));
  EXPECT_THAT(got.body, HasSubstr("POST NAME/apply"));
}

TEST(ChangedDocument, IsApplied) {
  Asking service;
  service.get("PUT", kModelPath, document_of("50", R"(,"expire_after":100)"));
  const std::string next =
      R"({"policy":"uniform","actions":["a","c"],"costs":{"dollars":1},"seed":1,"mode":"shadow","baseline":"a",
          "most_open":77,"expire_after":100,"budgets":[{"name":"day","cost":"dollars","amount":60,"per":"day","hard":true}]})";
  const HttpResponse done = service.ask("POST", "/v1/models/m/apply", apply_body(next));
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_THAT(done.body, HasSubstr(R"({"field":"budgets.day.amount","was":"50","is":"60"})"));
  const std::string now = service.ask("GET", kModelPath).body;
  EXPECT_THAT(now, HasSubstr(R"("mode":"shadow")"));
  EXPECT_THAT(now, HasSubstr(R"("now":{"budgets":[{"name":"day","amount":60,"rounds":0}],"actions":["a","c"]})"));
  EXPECT_THAT(now, HasSubstr(R"("most_open":77)"));
  EXPECT_EQ(service.ask("PUT", kModelPath, next).status, 200) << "it is the document now";
  EXPECT_THAT(service.ask("GET", "/v1/models/m/actions").body,
              HasSubstr(R"({"name":"a","plays":0,"baseline":true})"));
}

TEST(ChangedDocument, ChangesNothingIfSomethingCannotChange) {
  Asking service;
  service.get("PUT", kModelPath, document_of("50"));
  const std::string hashes = service.hashes();
  const HttpResponse got =
      service.ask("POST", "/v1/models/m/apply", apply_body(document_of("60", R"(,"context":2)")));
  EXPECT_EQ(got.status, 409);
  EXPECT_THAT(got.body, HasSubstr("context: nothing became 2"));
  EXPECT_EQ(service.ask("POST", "/v1/models/m/apply", apply_body(document_of("-1"))).status, 400);
  EXPECT_EQ(service.hashes(), hashes);
}

// The second change is refused by the engine: requests have left one action, and the document drops it.
TEST(ChangedDocument, ChangesNothingIfALaterChangeIsRefused) {
  Asking service;
  service.get("PUT", kModelPath, document_of("50"));
  service.get("DELETE", "/v1/models/m/actions/a", "");
  const std::string hashes = service.hashes();
  const std::string before = service.ask("GET", kModelPath).body;
  const std::string next = R"({"policy":"uniform","actions":["a"],"costs":{"dollars":1},"seed":1,"most_open":77,
      "budgets":[{"name":"day","cost":"dollars","amount":60,"per":"day","hard":true}]})";
  const HttpResponse got = service.ask("POST", "/v1/models/m/apply", apply_body(next));
  EXPECT_EQ(got.status, 400);
  EXPECT_THAT(got.body, HasSubstr("it is the last action"));
  EXPECT_EQ(service.hashes(), hashes);
  EXPECT_EQ(service.ask("GET", kModelPath).body, before);
}

TEST(ChangedDocument, ReplacesAllActions) {
  Asking service;
  service.get("PUT", kModelPath, document_of("50"));
  const std::string next = R"({"policy":"uniform","actions":["c","d"],"costs":{"dollars":1},"seed":1,
      "budgets":[{"name":"day","cost":"dollars","amount":50,"per":"day","hard":true}]})";
  const HttpResponse got = service.ask("POST", "/v1/models/m/apply", apply_body(next));
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_THAT(service.ask("GET", kModelPath).body, HasSubstr(R"("actions":["c","d"]})"));
}

TEST(ChangedDocument, TheBaselineOfARequestIsNotRemoved) {
  Asking service;
  service.get("PUT", kModelPath, document_of("50"));
  service.get("PATCH", kModelPath, R"({"mode":"shadow","baseline":"b"})");
  const std::string hashes = service.hashes();
  const std::string next = R"({"policy":"uniform","actions":["a"],"costs":{"dollars":1},"seed":1,
      "budgets":[{"name":"day","cost":"dollars","amount":60,"per":"day","hard":true}]})";
  const HttpResponse got = service.ask("POST", "/v1/models/m/apply", apply_body(next));
  EXPECT_EQ(got.status, 409) << got.body;
  EXPECT_THAT(got.body, HasSubstr("b is the baseline, which a request has set"));
  EXPECT_EQ(service.hashes(), hashes);
  EXPECT_EQ(service.ask("POST", "/v1/models/m/decide", "{}").status, 200);
}

// With actions that requests have added, the rows of the document are found by name.
TEST(ChangedDocument, ExpectedCostsComeWithTheirActions) {
  const auto document = [](const std::string& actions, const std::string& expected) {
    return R"({"actions":)" + actions + R"(,"costs":{"dollars":1},"seed":1,"expected_costs":)" + expected +
           R"(,"budgets":[{"name":"day","cost":"dollars","amount":50,"per":"day"}]})";
  };
  Asking service;
  service.get("PUT", kModelPath, document(R"(["a","b"])", R"({"a":0.1,"b":0.2})"));
  service.get("POST", "/v1/models/m/actions", R"({"name":"c","expected_costs":0.3})");
  const auto apply = [&](const std::string& next) {
    return service.ask("POST", "/v1/models/m/apply", apply_body(next));
  };
  const HttpResponse left_out = apply(document(R"(["a","b"])", R"({"a":0.4,"b":0.5})"));
  EXPECT_EQ(left_out.status, 400);
  EXPECT_THAT(left_out.body, HasSubstr("none of action c, which a request added"));
  const HttpResponse got =
      apply(document(R"(["d","b","c"])", R"({"b":0.25,"c":0.5,"d":0.75})"));
  ASSERT_EQ(got.status, 200) << got.body;
  for (const auto& [action, left] : {std::pair("b", "49.75"), {"c", "49.25"}, {"d", "48.5"}}) {
    const HttpResponse made =
        service.ask("POST", "/v1/models/m/decide", R"({"actions":[")" + std::string(action) + R"("]})");
    EXPECT_THAT(made.body, HasSubstr(R"("left":{"day":)" + std::string(left) + "}"));
  }
}

// The size is computed before any memory is taken: this one would have some GB.
TEST(ChangedDocument, WhatIsTooLargeIsRefusedBeforeItIsMade) {
  const auto document = [](int actions) {
    std::string names;
    for (int n = 0; n < actions; ++n) names += (n == 0 ? "\"a" : ",\"a") + std::to_string(n) + "\"";
    return R"({"actions":[)" + names + R"(],"context":200,"seed":1})";
  };
  Asking service;
  service.get("PUT", kModelPath, document(2));
  const HttpResponse got = service.ask("POST", "/v1/models/m/apply", apply_body(document(5000)));
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.body.substr(0, 120), service.ask("PUT", "/v1/models/n", document(5000)).body.substr(0, 120));
}

TEST(Explain, WorksAfterTheOutcome) {
  Asking service;
  service.get("PUT", kModelPath, R"j({"policy":"ccb(rate=0.5)","actions":["a","b"],"context":1,"costs":{"d":1},"seed":1})j");
  const std::string id =
      text_in(service.get("POST", "/v1/models/m/decide", R"({"context":[1]})"), "id");
  service.get("POST", "/v1/models/m/outcome", R"({"id":")" + id + R"(","reward":1,"costs":0.25})");
  const HttpResponse got = service.ask("GET", "/v1/models/m/explain/" + id);
  EXPECT_EQ(got.status, 200) << got.body;
  EXPECT_THAT(got.body, HasSubstr(R"("chosen":true)"));
  EXPECT_EQ(service.ask("GET", "/v1/models/m/explain/0123456789abcdef").status, 404);
}

// The documents of all models are looked at before the first is applied.
TEST(ChangedDocument, OfOneModelIsNotAppliedIfThatOfAnotherCannotBe) {
  Asking service;
  for (const char* name : {"m", "n"}) service.get("PUT", "/v1/models/" + std::string(name), document_of("50"));
  const std::string hashes = service.hashes();
  EXPECT_TRUE(service.service().apply("m", document_of("60"), true));
  EXPECT_FALSE(service.service().apply("n", document_of("60", R"(,"context":2)"), true));
  EXPECT_EQ(service.hashes(), hashes) << "nothing has changed";
  EXPECT_TRUE(service.service().apply("m", document_of("60")));
  EXPECT_NE(service.hashes(), hashes);
}

TEST(Archive, KeepsTheFolder) {
  Asking memory;
  memory.get("PUT", kModelPath, document_of("50"));
  EXPECT_THAT(memory.ask("DELETE", kModelPath).body, HasSubstr(R"("archived":null)"));
  EXPECT_EQ(memory.ask("GET", kModelPath).status, 404);
  EXPECT_EQ(memory.ask("DELETE", kModelPath).status, 404);
  EXPECT_EQ(memory.ask("PUT", kModelPath, document_of("60")).status, 201) << "the name is free";
}

TEST(ChangedDocument, OfTheSettingsAreAppliedTogetherOrNotAtAll) {
  const std::string data = testing::TempDir() + "applied_together";
  std::filesystem::remove_all(data);
  const auto start = [&](const std::string& m, const std::string& n) {
    ServiceOptions options;
    options.data = data;
    options.apply = true;
    options.wall = [] { return std::int64_t{1'800'000'000}; };
    return Service::open(options).value()->recover({{"m", m}, {"n", n}});
  };
  ASSERT_TRUE(start(document_of("50"), document_of("50")));
  EXPECT_FALSE(start(document_of("60"), document_of("60", R"(,"context":2)")));
  {
    ServiceOnDisk service(data);
    EXPECT_THAT(service.ask("GET", kModelPath).body, HasSubstr(R"("amount":50,"rounds":0})"));
  }
  ASSERT_TRUE(start(document_of("60"), document_of("70")));
  ServiceOnDisk service(data);
  EXPECT_THAT(service.ask("GET", kModelPath).body, HasSubstr(R"("amount":60,"rounds":0})"));
}

TEST(Archive, ThatCannotBeMadeLeavesTheModelServed) {
  namespace fs = std::filesystem;
  const std::string data = testing::TempDir() + "no_archive", elsewhere = "/dev/shm/rein_no_archive";
  for (const std::string& folder : {data, elsewhere}) fs::remove_all(folder);
  ServiceOnDisk service(data);
  service.recovered().check();
  EXPECT_EQ(service.ask("PUT", kModelPath, document_of("50")).status, 201);
  std::ofstream(data + "/.archive") << "a file";
  HttpResponse got = service.ask("DELETE", kModelPath);
  EXPECT_EQ(got.status, 503);
  EXPECT_THAT(got.body, HasSubstr("the model is served as before"));
  EXPECT_EQ(service.ask("POST", "/v1/models/m/decide", "{}").status, 200);
  // On another disk the folder cannot be moved there, which only shows when the model has ended.
  fs::remove(data + "/.archive");
  if (!fs::create_directory(elsewhere)) return;
  fs::create_symlink(elsewhere, data + "/.archive");
  got = service.ask("DELETE", kModelPath);
  if (got.status == 200) return;  // the same disk
  EXPECT_EQ(got.status, 503);
  EXPECT_THAT(got.body, HasSubstr("it is opened again"));
  EXPECT_EQ(service.ask("POST", "/v1/models/m/reopen", "{}").status, 200);
  EXPECT_EQ(service.ask("POST", "/v1/models/m/decide", "{}").status, 200);
  fs::remove_all(elsewhere);
}

TEST(Archive, OfAPathWithASlashAtItsEndIsRefused) {
  Asking service;
  service.get("PUT", kModelPath, document_of("50"));
  EXPECT_EQ(service.ask("DELETE", "/v1/models/m/").status, 404);
  EXPECT_EQ(service.ask("DELETE", "/v1/models/m/actions/").status, 405);
  EXPECT_EQ(service.ask("GET", kModelPath).status, 200);
}

TEST(ChangedDocument, AndArchivesSurviveRestarts) {
  const std::string data = testing::TempDir() + "changed_models";
  std::filesystem::remove_all(data);
  {
    ServiceOnDisk service(data);
    EXPECT_EQ(service.ask("PUT", kModelPath, document_of("50")).status, 201);
    EXPECT_EQ(service.ask("POST", "/v1/models/m/apply", apply_body(document_of("60"))).status, 200);
  }
  ServiceOnDisk service(data);
  service.recovered().check();
  EXPECT_EQ(service.ask("PUT", kModelPath, document_of("60")).status, 200);
  EXPECT_THAT(service.ask("GET", kModelPath).body, HasSubstr(R"("amount":60,"rounds":0})"));
  const HttpResponse gone = service.ask("DELETE", kModelPath);
  EXPECT_EQ(gone.status, 200) << gone.body;
  EXPECT_TRUE(std::filesystem::exists(data + "/.archive/m-1800000000/journal"));
  EXPECT_FALSE(std::filesystem::exists(data + "/m"));
  EXPECT_EQ(service.ask("PUT", kModelPath, document_of("70")).status, 201);
  EXPECT_EQ(service.ask("DELETE", kModelPath).status, 200);
  EXPECT_TRUE(std::filesystem::exists(data + "/.archive/m-1800000000-2/journal"));
}

}  // namespace
}  // namespace rein::serve
