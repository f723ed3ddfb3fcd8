// Golden traces: every file of tests/golden, or of the folder that REIN_GOLDEN_DIR names, written
// by an independent program. The policy is driven with the given actions; everything it decides
// from must come out to 1e-9, and the parameter it derives to 1e-12.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>

#include "rein/policy.h"
#include "source_dir.h"

namespace rein {
namespace {

namespace fs = std::filesystem;
using simdjson::dom::element;

double number(const element& object, const char* key) { return object[key].get_double(); }

std::vector<double> numbers(const element& list) {
  std::vector<double> out;
  for (element x : list.get_array()) out.push_back(x.get_double());
  return out;
}

void expect_close(double found, double wanted, double tolerance, const std::string& what) {
  EXPECT_NEAR(found, wanted, tolerance * std::max(1.0, std::abs(wanted))) << what;
}

std::string spec_of(const element& header) {
  std::string spec = fmt::format(
      "ccb(tuning=theory,setting={},rounds={},u={},v_scale={},lambda_scale={},gamma_scale={},"
      "oracle=vaw(features=joint,bias=0,reg={})",
      std::string_view(header["setting"]), number(header, "T"), number(header, "U"),
      number(header, "v_scale"), number(header, "lambda_scale"), number(header, "gamma_scale"),
      number(header, "reg"));
  const std::vector<double> budgets = numbers(header["B"]);
  if (std::any_of(budgets.begin(), budgets.end(), [](double b) { return b != 0.0; })) {
    spec += fmt::format(",budget=[{}]", fmt::join(budgets, ","));
  }
  return spec + ")";
}

Shape golden_shape_of(const element& header) {
  Shape shape{.actions = static_cast<int>(number(header, "K")),
              .features = static_cast<int>(number(header, "d"))};
  shape.costs.resize(static_cast<std::size_t>(number(header, "m")));
  return shape;
}

// One line of a trace, and what our policy made of it.
struct GoldenPlayed {
  std::vector<double> features;
  Decision decision;
  Outcome outcome;
  int actions = 0;
  Round round() const { return {.actions = actions, .features = features}; }
};

void expect_same(const element& line, const Policy& policy, const GoldenPlayed& played) {
  const std::string where = fmt::format("round {}", number(line, "t"));
  const Decision& d = played.decision;
  const std::vector<double> queues = numbers(line["Q_before"]);
  const std::vector<double> prices = numbers(line["price"]);
  const PolicyState state = policy.state();
  for (int i = 0; i < static_cast<int>(queues.size()); ++i) {
    expect_close(state.queues[i], queues[i], 1e-9, where + " Q_before");
    expect_close(d.prices[i], prices[i], 1e-9, where + " price");
  }
  expect_close(std::exp(2.0 * d.log_scale), number(line, "z"), 1e-9, where + " z");
  expect_close(d.gamma, number(line, "gamma"), 1e-9, where + " gamma");
  const std::vector<double> p = numbers(line["p"]);
  const std::vector<double> f = numbers(line["f_hat"]);
  for (int a = 0; a < played.actions; ++a) {
    expect_close(d.estimates.mean(0)[a], f[a], 1e-9, where + " f_hat");
    expect_close(d.probabilities()[a], p[a], 1e-9, where + " p");
    const std::vector<double> g = numbers(line["g_hat"].get_array().at(a));
    for (int i = 0; i < static_cast<int>(g.size()); ++i) {
      expect_close(d.estimates.mean(i + 1)[a], g[i], 1e-9, where + " g_hat");
    }
  }
}

GoldenPlayed play_golden(const element& line, const Policy& policy, Rng& rng, Scratch& scratch) {
  GoldenPlayed played;
  for (element row : line["phi"].get_array()) {
    const std::vector<double> phi = numbers(row);
    played.features.insert(played.features.end(), phi.begin(), phi.end());
    ++played.actions;
  }
  policy.decide(played.round(), rng, scratch, played.decision).check();
  played.decision.action = static_cast<int>(number(line, "action"));
  played.outcome = {.reward = number(line, "reward"), .costs = Costs(numbers(line["costs"]))};
  return played;
}

void run_trace(const fs::path& file) {
  simdjson::dom::parser parser;
  std::ifstream in(file);
  std::string text;
  ASSERT_TRUE(std::getline(in, text)) << file << " is empty";
  const element header = parser.parse(text);
  auto policy = make_policy(spec_of(header), golden_shape_of(header)).value();
  const std::vector<double> parameters = numbers(header["parameter"]);
  for (int i = 0; i < static_cast<int>(parameters.size()); ++i) {
    expect_close(policy->state().parameters[i], parameters[i], 1e-12, "parameter");
  }
  const auto delay = static_cast<std::size_t>(number(header, "delay"));

  Rng rng(1);
  Scratch scratch(*policy);
  std::deque<GoldenPlayed> open;
  int rounds = 0;
  while (std::getline(in, text) && !text.empty()) {
    const element line = parser.parse(text);
    open.push_back(play_golden(line, *policy, rng, scratch));
    expect_same(line, *policy, open.back());
    if (open.size() > delay) {
      const GoldenPlayed& due = open.front();
      policy->learn(due.round(), due.decision, due.outcome).check();
      open.pop_front();
    }
    ++rounds;
    if (::testing::Test::HasFailure()) return;  // one wrong round makes all later ones wrong
  }
  EXPECT_GT(rounds, 0) << file << " has a header and no rounds";
}

std::vector<fs::path> traces() {
  const char* given = std::getenv("REIN_GOLDEN_DIR");
  const fs::path folder =
      given && *given ? fs::path(given) : fs::path(source_dir()) / "tests" / "golden";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Golden, EveryTraceComesOutTo1e9) {
  const std::vector<fs::path> files = traces();
  ASSERT_FALSE(files.empty()) << "no .jsonl file in the folder of golden traces";
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    run_trace(file);
  }
}

TEST(Golden, ShippedTracesAreAllThere) {
  const fs::path folder = fs::path(source_dir()) / "tests" / "golden";
  for (const char* name :
       {"almost_sure_signed", "clipped", "delayed", "expectation", "expectation_tight",
        "knapsack_capped", "knapsack_two_budgets", "linear_constraints", "varying_actions"}) {
    EXPECT_TRUE(fs::exists(folder / (std::string(name) + ".jsonl"))) << name;
  }
}

}  // namespace
}  // namespace rein
