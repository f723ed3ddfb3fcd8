// The entry points that take text: specs, tables, lines of results.
#include <cmath>

#include "evaluate/play_line.h"
#include "fuzz/memory_file.h"
#include "fuzz/targets.h"
#include "rein/policy.h"
#include "rein/spec.h"
#include "world/table_file.h"

namespace rein::fuzz {
namespace {

constexpr int kRounds = 4;

bool is_distribution(std::span<const double> p) {
  double sum = 0.0;
  for (double x : p) {
    if (!(x >= 0.0 && x <= 1.0)) return false;
    sum += x;
  }
  return std::abs(sum - 1.0) <= 1e-9;
}

}  // namespace

void spec(Bytes bytes) {
  const auto parsed = parse_spec(bytes);
  if (!parsed) return expect(!parsed.error().empty(), "a refusal says why");
  const std::string printed = parsed.value().str();
  const auto again = parse_spec(printed);
  expect(bool(again), "a printed spec parses");
  expect(again.value().str() == printed, "and prints the same");
}

void options(Bytes bytes) {
  const Shape shape{.actions = 3,
                    .context = 2,
                    .costs = {{.name = "dollars", .range = {0.0, 2.0}}},
                    .rounds = 100};
  if (bytes.size() > 200) return;  // larger specs may describe networks that take minutes
  const auto made = make_policy(bytes, shape);
  if (!made) return expect(!made.error().empty(), "a refusal says why");
  Policy& policy = *made.value();
  if (policy.scratch() > (std::size_t{1} << 20)) return;
  Rng rng(1);
  Scratch scratch(policy);
  Decision decision(policy);
  const double context[] = {0.5, -0.25};
  const Round round{.actions = 3, .context = context};
  for (int t = 0; t < kRounds; ++t) {
    if (!policy.decide(round, rng, scratch, decision)) return;
    expect(is_distribution(std::as_const(decision).probabilities()), "decide() gives chances");
    const double cost = decision.action == 0 ? 0.0 : 1.5;
    if (policy.learn(round, decision, {.reward = 0.5, .costs = {cost}})) continue;
    // It may be the null action, which costs nothing.
    expect(cost > 0.0 && policy.learn(round, decision, {.reward = 0.5, .costs = {0.0}}).ok(),
           "learn() takes what decide() wrote");
  }
}

void table(Bytes bytes) {
  const MemoryFile file(bytes);
  auto opened = TableFile::open(file.path(), TableKeys{});
  if (!opened) return expect(!opened.error().empty(), "a refusal says why");
  const std::size_t width = opened.value().schema().width();
  if (width > (1 << 16)) return;
  std::vector<double> row(width);
  for (int i = 0; i < 10'000; ++i) {
    const auto read = opened.value().next(row);
    if (!read) return expect(!read.error().empty(), "a refusal says why");
    if (!read.value()) return;
    for (double x : row) expect(std::isfinite(x), "a row is numbers");
  }
}

void result(Bytes bytes) {
  const auto read = read_play_line(bytes);
  if (!read) return expect(!read.error().empty(), "a refusal says why");
  const std::string line = write_play_line(read.value().policy, read.value().result);
  const auto again = read_play_line(line);
  expect(bool(again), "a written line can be read");
  expect(write_play_line(again.value().policy, again.value().result) == line,
         "and is written the same");
}

}  // namespace rein::fuzz
