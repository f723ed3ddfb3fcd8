// POST, GET and DELETE runs: caps on what one task of an agent may cost.
#include <gmock/gmock.h>

#include "serve/asking.h"

namespace rein::serve {
namespace {

using ::testing::HasSubstr;

constexpr const char* kDocument = R"json({"policy":"uniform","actions":["a"],"costs":["dollars"],"seed":1,
    "largest_costs":{"a":0.25},"expire_after":1000,
    "budgets":[{"name":"all","cost":"dollars","amount":100,"hard":true,"hold":"quantile(0.9)"}]})json";

class Runs : public ::testing::Test {
 protected:
  Runs() { service_.get("PUT", kModelPath, kDocument); }
  std::string open(const std::string& body) {
    return text_in(service_.get("POST", "/v1/models/m/runs", body), "run");
  }
  HttpResponse decide(const std::string& run) {
    return service_.ask("POST", "/v1/models/m/decide", R"({"run":")" + run + R"("})");
  }
  std::string read(const std::string& rest, const std::string& query = {}) {
    return service_.ask({.method = "GET", .path = "/v1/models/m/runs" + rest, .query = query}).body;
  }
  Asking service_;
};

TEST_F(Runs, CapWhatTheirDecisionsCost) {
  const std::string task = open(R"({"amounts":{"dollars":0.75},"expire_after":60})");
  const std::string part = open(R"({"amounts":0.5,"parent":")" + task + R"("})");
  const std::string id = text_in(read_json(decide(part).body), "id");
  EXPECT_EQ(decide(part).status, 200);
  const HttpResponse full = decide(part);
  EXPECT_EQ(full.status, 429);
  EXPECT_THAT(full.body, HasSubstr("a does not fit run"));
  EXPECT_EQ(decide(task).status, 200);
  EXPECT_THAT(read("/" + part), HasSubstr(R"("costs":{"dollars":{"limit":0.5,"spent":0,"held":0.5,"left":0}})"));
  service_.get("POST", "/v1/models/m/outcome", R"({"id":")" + id + R"(","costs":0.125})");
  EXPECT_THAT(read("/" + task), HasSubstr(R"("decisions":3,"waiting":2,)"
                                          R"("costs":{"dollars":{"limit":0.75,"spent":0.125,"held":0.5,"left":0.125}})"));
  EXPECT_THAT(read("/" + part), HasSubstr(R"("parent":")" + task));
  EXPECT_THAT(read("", "open=1&first=1"), HasSubstr(R"({"open":2,"runs":[{"run":")" + part));
  EXPECT_THAT(service_.ask("GET", "/v1/models/m/state").body, HasSubstr(R"("open_runs":2)"));
}

TEST_F(Runs, TheSameRequestOpensOne) {
  const std::string body = R"({"amounts":1,"request_id":"task 7"})";
  const std::string run = open(body);
  EXPECT_EQ(open(body), run);
  EXPECT_EQ(service_.ask("POST", "/v1/models/m/runs", R"({"amounts":2,"request_id":"task 7"})").status, 409);
  EXPECT_THAT(read(""), HasSubstr(R"("open":1)"));
}

TEST_F(Runs, CloseByHandOrAtTheirEnd) {
  const std::string task = open(R"({"amounts":1,"expire_after":60})"), other = open(R"({"amounts":1})");
  const std::string part = open(R"({"amounts":1,"parent":")" + task + R"("})");
  EXPECT_THAT(service_.ask("DELETE", "/v1/models/m/runs/" + other).body, HasSubstr(R"("open":false,"expired":false)"));
  EXPECT_EQ(service_.ask("DELETE", "/v1/models/m/runs/" + other).status, 200) << "again";
  service_.sleep(61);
  EXPECT_THAT(read("/" + part), HasSubstr(R"("open":false,"expired":true)")) << "nobody decided meanwhile";
  const HttpResponse late = decide(task);
  EXPECT_EQ(late.status, 404);
  EXPECT_THAT(late.body, HasSubstr(R"("code":"expired")"));
}

TEST_F(Runs, BadRequestsChangeNothing) {
  const std::string before = service_.hashes();
  for (const char* body : {R"({})", R"({"amounts":{}})", R"({"amounts":{"euros":1}})", R"({"amounts":-1})",
                           R"({"amounts":1,"expire_after":0})", R"({"amounts":1,"parent":"x"})",
                           R"({"amounts":1,"colour":1})"}) {
    EXPECT_EQ(service_.ask("POST", "/v1/models/m/runs", body).status, 400) << body;
  }
  EXPECT_EQ(service_.ask("POST", "/v1/models/m/runs", R"({"amounts":1,"parent":"0123456789abcdef"})").status, 404);
  EXPECT_EQ(decide("0123456789abcdef").status, 404);
  EXPECT_EQ(decide("seven").status, 400);
  EXPECT_EQ(service_.ask("DELETE", "/v1/models/m/runs/seven").status, 400);
  EXPECT_EQ(service_.ask({.method = "GET", .path = "/v1/models/m/runs", .query = "most=1001"}).status, 400);
  EXPECT_EQ(service_.hashes(), before);
}

TEST_F(Runs, BudgetsThatHoldQuantilesSayWhatTheyKeepFree) {
  EXPECT_THAT(service_.ask("GET", "/v1/models/m/budgets").body,
              HasSubstr(R"json("hold":"quantile(0.9)","passed_holds":0,"reserve":0)json"));
  const HttpResponse wrong = service_.ask(
      "PUT", "/v1/models/n", R"({"actions":1,"costs":["c"],"budgets":[{"name":"b","cost":"c","amount":1,"hold":"most"}]})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.body, HasSubstr("accepted: largest, or quantile(0.999)"));
}

}  // namespace
}  // namespace rein::serve
