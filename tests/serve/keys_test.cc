// Tenants: an amount per key, changed while the service runs; who spent what, now and before.
#include <gmock/gmock.h>

#include "serve/asking.h"

namespace rein::serve {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTenants = R"({"policy":"uniform","actions":["a","b"],"costs":{"dollars":1},"seed":1,
    "budgets":[{"name":"tenants","cost":"dollars","amount":{"acme":25,"beta":15,"*":5},"per":"day",
                "hard":true,"scope":"tenant","named":true,"keep":8}]})";

class Keys : public ::testing::Test {
 protected:
  Keys() { service_.get("PUT", kModelPath, kTenants); }
  void spend(const std::string& tenant, double cost) {
    const Json made =
        service_.get("POST", "/v1/models/m/decide", R"({"scopes":{"tenant":")" + tenant + R"("}})");
    service_.get("POST", "/v1/models/m/outcome",
                 R"({"id":")" + text_in(made, "id") + R"(","reward":1,"costs":)" + std::to_string(cost) + "}");
  }
  std::string read(const std::string& verb, const std::string& query = {}) {
    const HttpResponse got =
        service_.ask({.method = "GET", .path = "/v1/models/m/" + verb, .query = query});
    EXPECT_EQ(got.status, 200) << got.body;
    return got.body;
  }
  Asking service_;
};

TEST_F(Keys, HaveAmountsOfTheirOwn) {
  EXPECT_THAT(read("budgets", "tenant=acme"), HasSubstr(R"("limit":25)"));
  EXPECT_THAT(read("budgets", "tenant=zeta"), HasSubstr(R"("limit":5)"));
  service_.get("PATCH", "/v1/models/m/budgets",
               R"({"budget":"tenants","amount":7,"scopes":{"tenant":"zeta"}})");
  service_.get("PATCH", "/v1/models/m/budgets",
               R"({"budget":"tenants","amount":"*","scopes":{"tenant":"acme"}})");
  EXPECT_THAT(read("budgets", "tenant=zeta"), HasSubstr(R"("limit":7)"));
  EXPECT_THAT(read("budgets", "tenant=acme"), HasSubstr(R"("limit":5)"));
  EXPECT_THAT(read("budgets", "tenant=beta"), HasSubstr(R"("limit":15)"));
}

TEST_F(Keys, AreListedPageByPage) {
  spend("acme", 0.75);
  spend("beta", 0.5);
  spend("zeta", 0.25);
  EXPECT_THAT(read("keys", "budget=tenants&first=1&most=1"),
              HasSubstr(R"("count":3,"spent":1.5,"held":0,"keys":[{"key":"beta","own_amount":true,)"
                        R"("limit":15,"spent":0.5,"held":0,"left":14.5}])"));
  EXPECT_THAT(read("keys", "search=ze"), HasSubstr(R"("count":1,"spent":0.25)"));
  EXPECT_EQ(read("keys", "format=csv"),
            "key,limit,spent,held,left\nacme,25,0.75,0,24.25\nbeta,15,0.5,0,14.5\nzeta,5,0.25,0,4.75\n");
  EXPECT_THAT(read("budgets"), HasSubstr(R"("key":"acme")"));
  EXPECT_THAT(read("live"), HasSubstr(R"("key":"acme")"));
  service_.sleep(86'400);
  spend("beta", 0.125);
  EXPECT_THAT(read("keys"), HasSubstr(R"("count":3,"spent":0.125)"));
  EXPECT_THAT(read("keys", "ago=1"), HasSubstr(R"("count":3,"spent":1.5)"));
  const std::string windows = read("windows", "tenant=beta");
  EXPECT_THAT(windows, HasSubstr(R"("spent":0.5)"));
  EXPECT_THAT(windows, HasSubstr(R"("open":true)"));
  EXPECT_THAT(windows, HasSubstr(R"("spent":0.125)"));
}

// In documents it is the amount of all others.
TEST_F(Keys, ACalledStarHasNoAmountOfItsOwn) {
  const HttpResponse got = service_.ask("PATCH", "/v1/models/m/budgets",
                                        R"({"budget":"tenants","amount":7,"scopes":{"tenant":"*"}})");
  EXPECT_EQ(got.status, 400) << got.body;
  EXPECT_THAT(got.body, HasSubstr("accepted: another one, or an amount without scopes"));
  spend("*", 0.25);
  EXPECT_THAT(read("budgets", "tenant=*"), HasSubstr(R"("limit":5)"));
}

// Nothing ends this by itself, but another key may give its amount up.
TEST_F(Keys, WithAmountsOfTheirOwnAreLimited) {
  const auto set = [&](int n, const std::string& amount) {
    return service_.ask("PATCH", "/v1/models/m/budgets", R"({"budget":"tenants","amount":)" + amount +
                        R"(,"scopes":{"tenant":"t)" + std::to_string(n) + R"("}})");
  };
  int n = 0;
  HttpResponse full;
  for (; n <= 10'000 && full.status != 503; ++n) full = set(n, "3");
  EXPECT_EQ(full.status, 503);
  EXPECT_THAT(full.body, HasSubstr(R"("retry_after":60)"));
  EXPECT_EQ(set(0, R"("*")").status, 200);
  EXPECT_EQ(set(n, "3").status, 200);
}

TEST_F(Keys, AreListedHoweverManyAreAskedFor) {
  spend("acme", 0.75);
  EXPECT_THAT(read("keys", "most=1000000000000000000"), HasSubstr(R"("count":1,)"));
}

TEST_F(Keys, AreBoundedInMetrics) {
  for (int n = 0; n < 25; ++n) spend("t" + std::to_string(n), n < 5 ? 0.125 : 0.25);
  const std::string text = service_.ask("GET", "/metrics").body;
  EXPECT_THAT(text, HasSubstr(R"(rein_key_spent{model="m",budget="tenants",key="t24"} 0.25)"));
  EXPECT_THAT(text, HasSubstr(R"(rein_other_keys_spent{model="m",budget="tenants"} 0.625)"));
  EXPECT_EQ(text.find(R"(key="t0")"), std::string::npos);
}

TEST_F(Keys, OfWrongQueriesAreRefused) {
  for (const char* query : {"budget=none", "first=-1", "most=x", "ago=x", "format=xml", "who=acme"}) {
    const HttpResponse got =
        service_.ask({.method = "GET", .path = "/v1/models/m/keys", .query = query});
    EXPECT_EQ(got.status, 400) << query << got.body;
    EXPECT_THAT(got.body, HasSubstr("accepted: ")) << query;
  }
  EXPECT_EQ(service_.ask("PUT", "/v1/models/n", R"({"actions":2,"costs":{"d":1},"budgets":[{"name":"x",
      "cost":"d","amount":{"a":1},"per":"day","hard":true,"scope":"t"}]})").status, 400);
}

}  // namespace
}  // namespace rein::serve
