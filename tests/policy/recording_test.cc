// Every policy of the table decides the same bits as when it was recorded. Traces compare to 1e-9;
// this is what finds a sum that was reordered. A change that is meant to change decisions records
// again, and says so in the CHANGELOG:
//
//     REIN_RECORD=1 build/tests/policy_test --gtest_filter='Recording*'
//
// A line is a hash of all probabilities and prices, the bits of the last probability of the action
// that was played, the problem, and the spec.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <map>

#include "estimate/variants.h"
#include "policy/play.h"
#include "source_dir.h"

namespace rein {
namespace {

constexpr int kRecordingRounds = 150;

// FNV-1a over the bytes of doubles.
class Bits {
 public:
  void add(double number) {
    const auto word = std::bit_cast<std::uint64_t>(number);
    for (int shift = 0; shift < 64; shift += 8) {
      hash_ = (hash_ ^ ((word >> shift) & 0xff)) * 0x100000001b3ULL;
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

std::string recorded(const Case& c) {
  Game game(c);
  Bits bits;
  for (int t = 0; t < kRecordingRounds; ++t) {
    game.play(t);
    for (double p : std::as_const(game.decision).probabilities()) bits.add(p);
    for (double price : game.decision.prices) bits.add(price);
    bits.add(game.decision.action);
  }
  return fmt::format("{:016x} {:016x}", bits.value(),
                     std::bit_cast<std::uint64_t>(game.decision.probability));
}

// The cases of the contract, and every oracle in both tunings.
std::vector<Case> all_cases() {
  std::vector<Case> all = cases();
  Shape shape = shape_of(5, 2, 3, true);
  shape.rounds = 500;
  for (const Entry& entry : oracles()) {
    for (const char* tuning : {"auto", "theory"}) {
      all.push_back({.spec = fmt::format("ccb(oracle={}{},setting=expectation,tuning={})",
                                         entry.name, smaller(entry.name, ""), tuning),
                     .name = "every oracle",
                     .shape = shape});
    }
  }
  return all;
}

// Recorded on x86-64. CLP, which solves first stages for several costs, is not ours: its last digit
// may be another one elsewhere.
#ifdef __x86_64__
constexpr bool kRecordedHere = true;
#else
constexpr bool kRecordedHere = false;
#endif

bool same_here(const Case& c) {
  const auto has = [&](const char* text) { return c.spec.find(text) != std::string::npos; };
  const bool first_stage = (has("lincbwk") && !has("z=")) || has("stages=2");
  return kRecordedHere || !first_stage || c.shape.costs.size() < 2;
}

TEST(Recordings, DecisionsKeepTheirBits) {
  const std::string path = source_dir() + "/tests/recordings/decisions.txt";
  std::map<std::string, std::string> now;
  std::size_t left_out = 0;
  for (const Case& c : all_cases()) {
    if (same_here(c)) {
      now[c.name + ": " + c.spec] = recorded(c);
    } else {
      ++left_out;
    }
  }
  if (std::getenv("REIN_RECORD") != nullptr) {
    std::ofstream out(path);
    for (const auto& [what, bits] : now) out << bits << ' ' << what << '\n';
  }
  std::map<std::string, std::string> before;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) before[line.substr(34)] = line.substr(0, 33);
  for (const auto& [what, bits] : now) {
    ASSERT_TRUE(before.contains(what)) << what << " was never recorded";
    EXPECT_EQ(bits, before[what]) << what;
  }
  EXPECT_EQ(now.size() + left_out, before.size()) << "recordings of what is no longer there";
}

}  // namespace
}  // namespace rein
