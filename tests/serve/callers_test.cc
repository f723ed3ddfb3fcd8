// Callers who report absurd or constant rewards must not steer a model, and their money counts.
#include "serve/callers.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "rein/rng.h"
#include "serve/asking.h"

namespace rein::serve {
namespace {

using ::testing::HasSubstr;

std::string comparing(const std::string& callers, int seed = 4) {
  return R"({"policy":"ccb","actions":["cheap","good"],"context":1,"costs":{"dollars":1},"seed":)" +
         std::to_string(seed) + "," + callers +
         R"("budgets":[{"name":"tenants","cost":"dollars","amount":1000000,"per":"day","hard":true,"scope":"tenant",
                       "named":true},
                      {"name":"all","cost":"dollars","amount":1000000,"per":"day","hard":true}]})";
}
constexpr const char* kByTenant = R"("callers":{"by":"tenant"},)";

struct Played {
  double good = 0.0;   // share of the second action, of honest callers, in the last half
  std::string state;   // GET state
  double spent = 0.0;  // by our own ledger
  double billed = 0.0;
};

// Four tenants in turn; the last reports lie(reward) for its rewards.
Played play(const std::string& document, const std::function<double(double reward, int action)>& lie,
            int rounds = 2000, std::uint64_t seed = 11) {
  Asking service;
  service.get("PUT", kModelPath, document);
  Rng rng(seed);
  Played played;
  int honest = 0;
  std::int64_t ledger = 0;
  for (int n = 0; n < rounds; ++n) {
    const int who = n % 4;
    service.sleep(25);  // all in one day
    const double x = rng.uniform();
    const Json made = service.get("POST", "/v1/models/m/decide", R"({"context":[)" + Json(x).str() +
                                      R"(],"scopes":{"tenant":"t)" + std::to_string(who) + R"("}})");
    const int action = text_in(made, "action") == "good" ? 1 : 0;
    double reward = rng.uniform() < 0.3 + 0.4 * x * action ? 1.0 : 0.0;
    const std::int64_t micros = (action == 1 ? 150'000 : 50'000) + static_cast<std::int64_t>(n % 7) * 1000;
    if (who == 3) reward = lie(reward, action);
    if (who != 3 && n >= rounds / 2) {
      ++honest;
      played.good += action;
    }
    ledger += micros;
    service.get("POST", "/v1/models/m/outcome",
                R"({"id":")" + text_in(made, "id") + R"(","reward":)" + Json(reward).str() + R"(,"costs":)" +
                    Json(static_cast<double>(micros) / 1e6).str() + "}");
  }
  played.good /= honest;
  played.state = service.ask("GET", "/v1/models/m/state").body;
  played.spent = static_cast<double>(ledger) / 1e6;
  const Json budgets = member(service.get("GET", "/v1/models/m/budgets"), "budgets");
  played.billed = number_of(member(std::get<Json::List>(budgets.is).at(0), "spent"), "spent");
  return played;
}

double truth(double reward, int /*action*/) { return reward; }
double thousandfold(double reward, int /*action*/) { return 1000.0 * reward; }
double constant(double /*reward*/, int /*action*/) { return 1.0; }
double flatters(double /*reward*/, int action) { return action == 0 ? 1000.0 : 0.0; }

// The mean of `good` over five seeds; the money of each run is exact.
double good_share(const std::string& callers, const std::function<double(double, int)>& lie) {
  constexpr int kSeeds = 5;
  double sum = 0.0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Played played = play(comparing(callers, 4 + seed), lie, 2000, 11 + static_cast<std::uint64_t>(seed));
    EXPECT_EQ(played.billed, played.spent) << "to the micro-unit";
    sum += played.good / kSeeds;
  }
  return sum;
}

TEST(Callers, WhoLieHardlyMoveTheSharesOfTheOthers) {
  const double honest = good_share("", truth);
  for (const auto& lie : {thousandfold, constant, truth}) {
    EXPECT_NEAR(good_share(kByTenant, lie), honest, 0.05);
  }
  // One who lies about a single action is plausible for long while that action is seldom played.
  EXPECT_NEAR(good_share(kByTenant, flatters), honest, 0.12);
  // Where callers are not compared, one of them turns the model around.
  EXPECT_LT(good_share("", flatters), 0.5 * honest);
}

TEST(Callers, WhoAreSuspectAreNamed) {
  EXPECT_THAT(play(comparing(kByTenant), flatters, 400).state,
              HasSubstr(R"("caller":"t3","reports":100,"beyond":)"));
  EXPECT_THAT(play(comparing(kByTenant), flatters, 400).state, HasSubstr(R"("suspect":"absurd")"));
  EXPECT_THAT(play(comparing(kByTenant), constant, 400).state, HasSubstr(R"("suspect":"constant")"));
  EXPECT_EQ(play(comparing(kByTenant), truth, 400).state.find(R"("suspect":"c)"), std::string::npos);
  EXPECT_EQ(play(comparing(kByTenant), truth, 400).state.find(R"("suspect":"a)"), std::string::npos);
}

Report report(const std::string& caller, double reward, double cost = kMissing, int action = 0) {
  Report one{.caller = caller, .action = action, .outcome = {.reward = reward, .costs = Costs(1, kMissing)}};
  one.outcome.costs[0] = cost;
  return one;
}

class Reports : public ::testing::Test {
 protected:
  void others(int count) {
    for (int n = 0; n < count; ++n) {
      for (const char* name : {"a", "b", "c"}) callers_.report(plan_, report(name, n % 3 == 0 ? 1.0 : 0.0, 0.1 + 0.01 * (n % 5)));
    }
  }
  CallersPlan plan_{.by = "token"};
  Callers callers_;
};

TEST_F(Reports, BeyondThoseOfTheOthersAreClipped) {
  others(20);
  const Outcome lesson = callers_.lesson(plan_, report("d", 1000.0, 50.0));
  EXPECT_EQ(lesson.reward, 1.25);
  EXPECT_NEAR(lesson.costs[0], 0.14 + 0.25 * 0.14, 1e-12);
  EXPECT_EQ(callers_.lesson(plan_, report("a", 1.0, 0.12)).costs[0], 0.12);
}

TEST_F(Reports, OfACostAreComparedPerAction) {
  others(20);
  for (int n = 0; n < 20; ++n) {
    for (const char* name : {"a", "b"}) callers_.report(plan_, report(name, 0.0, 9.0, 1));
  }
  EXPECT_EQ(callers_.lesson(plan_, report("d", 0.0, 9.0, 1)).costs[0], 9.0);
  EXPECT_LT(callers_.lesson(plan_, report("d", 0.0, 9.0, 0)).costs[0], 0.2);
}

TEST_F(Reports, AreNotLearnedWhileNobodyElseIsKnown) {
  EXPECT_TRUE(is_missing(callers_.lesson(plan_, report("d", 1000.0)).reward));
  for (int n = 0; n < 64; ++n) callers_.report(plan_, report("d", 1000.0));
  EXPECT_EQ(callers_.lesson(plan_, report("d", 1000.0)).reward, 1000.0) << "it is alone";
}

TEST_F(Reports, ThatBecomePlausibleAreLearnedAgain) {
  others(20);
  for (int n = 0; n < 40; ++n) callers_.report(plan_, report("d", 1000.0));
  EXPECT_EQ(callers_.suspect("d"), "absurd");
  EXPECT_TRUE(is_missing(callers_.lesson(plan_, report("d", 1.0)).reward));
  for (int n = 0; n < 200; ++n) callers_.report(plan_, report("d", n % 3 == 0 ? 1.0 : 0.0));
  EXPECT_EQ(callers_.suspect("d"), "");
  EXPECT_EQ(callers_.lesson(plan_, report("d", 1.0)).reward, 1.0);
}

TEST_F(Reports, OfOneCallerAreAtMostItsShare) {
  plan_.most_share = 0.5;
  others(20);
  int learned = 0;
  for (int n = 0; n < 1000; ++n) {
    Report one = report("d", n % 3 == 0 ? 1.0 : 0.0);
    one.learned = !is_missing(callers_.lesson(plan_, one).reward);
    learned += one.learned ? 1 : 0;
    callers_.report(plan_, one);
  }
  EXPECT_LT(learned, 130);
  EXPECT_GT(learned, 40);
}

TEST_F(Reports, AreTheSameAfterTheyWereSaved) {
  others(30);
  for (int n = 0; n < 40; ++n) callers_.report(plan_, report("d", 0.1 * n, 1.0 / 3.0));
  JsonWriter saved;
  callers_.write(saved);
  Callers read;
  read.read(read_json(saved.str()));
  for (int n = 0; n < 50; ++n) {
    for (Callers* each : {&callers_, &read}) each->report(plan_, report("b", n % 2, 0.7));
  }
  JsonWriter one, two;
  callers_.write(one);
  read.write(two);
  EXPECT_EQ(one.str(), two.str());
}

TEST(Callers, AreBounded) {
  Callers callers;
  const CallersPlan plan{.by = "token"};
  for (int n = 0; n < 1000; ++n) callers.report(plan, report("c" + std::to_string(n), 1.0));
  EXPECT_EQ(callers.states().size(), Callers::kMostCallers + 1);
}

}  // namespace
}  // namespace rein::serve
