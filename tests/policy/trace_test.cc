// Regression traces: what every policy decided when its trace was written, to 1e-9. They say that
// nothing has changed, not that it was right; the tests by hand and tests/golden say that.
//
// Those of aupd, optimistic3, pgd and weakly_adaptive were written by another program, which shares
// no code with the library: tests/golden_peers/reference.py. Write them there.
//
// A trace is a file of tests/golden_peers: a header with the spec, then a line a round. To write
// one for a new policy, or again after a change that was meant:
//
//     REIN_TRACE='lagrange(budget=[9,6])' REIN_TRACE_FILE=tests/golden_peers/lagrange.jsonl
//         build/tests/policy_test --gtest_filter='Traces.*'
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "policy/play.h"
#include "source_dir.h"

namespace rein {
namespace {

namespace fs = std::filesystem;
using simdjson::dom::element;

constexpr int kTraceRounds = 30;

Shape traced_shape() {
  Shape shape{.actions = 4, .context = 3, .rounds = 60};
  shape.costs = {{"dollars", {0.0, 1.0}}, {"grams", {0.0, 500.0}}};
  return shape;
}

// Plays the t-th round: all actions are offered, action 0 is a null action, and the outcome is a
// fixed function of the round and the action.
void play_round(Game& game, int t) {
  const OwnedRound round = round_of(game.policy->shape(), 3 * t);
  game.policy->decide(round.view(), game.rng, game.scratch, game.decision).check();
  const Decision& d = game.decision;
  Outcome outcome = outcome_of(traced_shape(), round.view(), d.action, 3 * t);
  if (d.action == 0) outcome = {.reward = 0.0, .costs = Costs(2)};
  game.policy->learn(round.view(), d, outcome).check();
}

void write_trace(const std::string& spec, const fs::path& path) {
  Game game({.spec = spec, .shape = traced_shape()});
  std::ofstream out(path);
  std::string quoted;
  for (char c : game.policy->spec().str()) quoted += c == '"' ? "\\\"" : std::string(1, c);
  out << fmt::format("{{\"spec\":\"{}\"}}\n", quoted);
  for (int t = 0; t < kTraceRounds; ++t) {
    play_round(game, t);
    const Decision& d = game.decision;
    out << fmt::format(
        "{{\"t\":{},\"action\":{},\"gamma\":{:.17g},\"p\":[{:.17g}],\"prices\":[{:.17g}]}}\n", t,
        d.action, d.gamma, fmt::join(d.probabilities(), ","), fmt::join(d.prices.span(), ","));
  }
}

void expect_close(double found, const element& wanted, const char* what) {
  const double value = wanted.get_double();
  EXPECT_NEAR(found, value, 1e-9 * std::max(1.0, std::abs(value))) << what;
}

void expect_same(const element& line, const Decision& d) {
  EXPECT_EQ(d.action, static_cast<int>(line["action"].get_int64()));
  expect_close(d.gamma, line["gamma"], "gamma");
  ASSERT_EQ(line["p"].get_array().size(), d.probabilities().size());
  ASSERT_EQ(line["prices"].get_array().size(), static_cast<std::size_t>(d.prices.size()));
  for (std::size_t a = 0; a < d.probabilities().size(); ++a) {
    expect_close(d.probabilities()[a], line["p"].at(a), "p");
  }
  for (int i = 0; i < d.prices.size(); ++i) {
    expect_close(d.prices[i], line["prices"].at(static_cast<std::size_t>(i)), "price");
  }
}

std::vector<fs::path> trace_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(source_dir()) / "tests/golden_peers"))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string spec_of(const fs::path& file) {
  std::ifstream in(file);
  std::string text;
  std::getline(in, text);
  simdjson::dom::parser parser;
  return std::string(parser.parse(text)["spec"].get_string().value());
}

void expect_as_it_was(const fs::path& file) {
  SCOPED_TRACE(file.filename().string());
  simdjson::dom::parser parser;
  Game game({.spec = spec_of(file), .shape = traced_shape()});
  std::ifstream in(file);
  std::string text;
  std::getline(in, text);
  int t = 0;
  for (; std::getline(in, text) && !text.empty(); ++t) {
    SCOPED_TRACE(fmt::format("round {}", t));
    play_round(game, t);
    expect_same(parser.parse(text), game.decision);
    if (::testing::Test::HasFailure()) return;  // one wrong round makes all later ones wrong
  }
  EXPECT_EQ(t, kTraceRounds);
}

// Writes the one that is asked for; where none is, one that is thrown away.
TEST(Traces, AreWrittenAsTheyAreRead) {
  const char* spec = std::getenv("REIN_TRACE");
  const char* path = std::getenv("REIN_TRACE_FILE");
  const bool asked = spec && path;
  const fs::path file =
      asked ? fs::path(path) : fs::path(::testing::TempDir()) / "rein_trace_test.jsonl";
  write_trace(asked ? spec : "loe2d", file);
  EXPECT_EQ(spec_of(file), asked ? parse_spec(spec).value().str() : "loe2d");
  expect_as_it_was(file);
  if (!asked) fs::remove(file);
}

TEST(Traces, EveryPolicyHasOne) {
  std::set<std::string> found;
  for (const fs::path& file : trace_files()) found.insert(parse_spec(spec_of(file)).value().name);
  for (const Entry& entry : policies()) {
    EXPECT_EQ(found.count(std::string(entry.name)), 1U)
        << entry.name << " has no trace in tests/golden_peers; trace_test.cc says how to write one";
  }
}

TEST(Traces, EveryPolicyDecidesAsItDid) {
  for (const fs::path& file : trace_files()) expect_as_it_was(file);
}

}  // namespace
}  // namespace rein
