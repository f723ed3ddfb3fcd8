// A changed document: what differs, what is applied; models that are archived; explanations after the outcome.
#include <gmock/gmock.h>

#include <filesystem>

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

TEST(Archive, KeepsTheFolder) {
  Asking memory;
  memory.get("PUT", kModelPath, document_of("50"));
  EXPECT_THAT(memory.ask("DELETE", kModelPath).body, HasSubstr(R"("archived":null)"));
  EXPECT_EQ(memory.ask("GET", kModelPath).status, 404);
  EXPECT_EQ(memory.ask("DELETE", kModelPath).status, 404);
  EXPECT_EQ(memory.ask("PUT", kModelPath, document_of("60")).status, 201) << "the name is free";
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
