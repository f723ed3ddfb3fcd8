#include "rein/record.h"

#include <gtest/gtest.h>

#include "engine/encoding_parts.h"
#include "engine/small.h"

namespace rein {
namespace {

std::string bytes_of(const Record& record) {
  std::string bytes;
  encode(record, bytes);
  return bytes;
}

// One record of each kind; the decisions have everything that a round may hold.
std::vector<std::string> samples() {
  std::vector<std::string> found;
  found.push_back(bytes_of(TickRecord{.now = 42}));
  found.push_back(bytes_of(LimitsRecord{.most_open = 3, .expire_after = 9}));
  found.push_back(bytes_of(SkipRecord{.ids = 1000}));
  found.push_back(bytes_of(LearnRecord{.id = 9, .outcome = {.reward = 0.5, .costs = {0.25, 1}}}));
  found.push_back(bytes_of(LearnRecord{.id = 9,
                                       .outcome = {.reward = 0.5, .costs = {0.25, 1}},
                                       .lesson = Outcome{.reward = 0.25, .costs = {0.25, 1}}}));
  DecideRecord record;
  Engine engine = small_engine();
  const std::vector<double> x = context_of(3);
  const std::vector<std::int32_t> ids = {2, 0};
  choose(engine, {.actions = 2, .context = x, .ids = ids}, record);
  found.push_back(bytes_of(record));

  const Shape sparse{.actions = 4, .features = 5, .costs = {{}, {}}};
  Engine wide = Engine::make("ccb(rounds=100)", sparse).value();
  const std::vector<std::int32_t> begin = {0, 2, 2, 3};
  const std::vector<std::int32_t> index = {0, 4, 1};
  const std::vector<double> value = {0.5, -0.5, 1.0};
  choose(wide, {.actions = 3, .sparse = {begin, index, value}}, record);
  found.push_back(bytes_of(record));
  return found;
}

TEST(Record, RoundTripGivesTheSameBytes) {
  for (const std::string& bytes : samples()) {
    auto decoded = decode(bytes);
    ASSERT_TRUE(decoded) << decoded.error();
    EXPECT_EQ(bytes_of(decoded.value()), bytes);
  }
}

TEST(Record, EveryFieldComesBack) {
  Engine engine = small_engine();
  const std::vector<double> x = context_of(3);
  const std::vector<std::int32_t> ids = {2, 0};
  DecideRecord in;
  choose(engine, {.actions = 2, .context = x, .ids = ids}, in);
  const DecideRecord out = std::get<DecideRecord>(decode(bytes_of(in)).value());
  EXPECT_EQ(out.id, in.id);
  EXPECT_EQ(out.at, in.at);
  EXPECT_EQ(out.draws, 1U);
  EXPECT_EQ(out.offered, 2);
  EXPECT_EQ(out.round.context, x);
  EXPECT_EQ(out.round.ids, ids);
  EXPECT_EQ(out.decision.action, in.decision.action);
  EXPECT_EQ(out.decision.gamma, in.decision.gamma);
  EXPECT_EQ(out.decision.prices, in.decision.prices);
  for (int a = 0; a < 2; ++a) {
    const auto at = static_cast<std::size_t>(a);
    EXPECT_EQ(out.decision.probabilities()[at], in.decision.probabilities()[at]);
    EXPECT_EQ(out.decision.scores()[at], in.decision.scores()[at]);
    EXPECT_EQ(out.decision.estimates.width()[at], in.decision.estimates.width()[at]);
    EXPECT_EQ(out.decision.estimates.mean(1)[at], in.decision.estimates.mean(1)[at]);
  }
}

TEST(Record, CutBytesAreRefusedAtEveryLength) {
  for (const std::string& bytes : samples()) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      auto decoded = decode(std::string_view(bytes).substr(0, size));
      ASSERT_FALSE(decoded) << size;
      ASSERT_EQ(decoded.reason(), Reason::kCorrupt);
    }
    EXPECT_FALSE(decode(bytes + '\0'));
    EXPECT_FALSE(decode(bytes + bytes));
  }
}

TEST(Record, EveryFlippedBitIsRefused) {
  for (std::string bytes : samples()) {
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      const char before = bytes[bit / 8];
      bytes[bit / 8] = static_cast<char>(before ^ (1 << (bit % 8)));
      ASSERT_FALSE(decode(bytes)) << bit;
      bytes[bit / 8] = before;
    }
  }
}

// The same bytes with one word replaced and the hash computed again.
std::string forged(std::string_view bytes, std::size_t which, std::uint64_t word) {
  ByteReader in(bytes);
  ByteWriter out;
  for (std::size_t i = 0; i + 1 < bytes.size() / 8; ++i) {
    const std::uint64_t was = in.u64();
    out.u64(i == which ? word : was);
  }
  return seal(out);
}

// Forged bytes are refused, or they are a record that encodes to the same bytes. An engine refuses
// or applies them without a crash, and a refusal changes nothing.
TEST(Record, ForgedBytesAreRefusedOrMeanThemselves) {
  int refused = 0;
  int accepted = 0;
  const EngineOptions slight{.most_open = 4, .remember = 4};
  for (const std::string& bytes : samples()) {
    for (std::size_t which = 0; which + 1 < bytes.size() / 8; ++which) {
      for (std::uint64_t word : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 31,
                                 std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
        const std::string other = forged(bytes, which, word);
        auto decoded = decode(other);
        if (decoded) {
          ASSERT_EQ(bytes_of(decoded.value()), other);
        }
        ++(decoded ? accepted : refused);
        Engine engine = small_engine(slight);
        if (!engine.fold(other)) {
          ASSERT_EQ(engine.state_hash(), small_engine(slight).state_hash());
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(accepted, 100);
}

TEST(StoredRound, CopiesSomeActionsOfADenseRound) {
  const std::vector<double> context = {9};
  const std::vector<double> features = {0, 1, 10, 11, 20, 21};
  const std::vector<std::int32_t> ids = {5, 6, 7};
  const std::vector<std::int32_t> places = {0, 2};
  StoredRound round;
  round.copy({.actions = 3, .context = context, .features = features, .ids = ids}, places);
  EXPECT_EQ(round.actions, 2);
  EXPECT_EQ(round.context, context);
  EXPECT_EQ(round.features, (std::vector<double>{0, 1, 20, 21}));
  EXPECT_EQ(round.ids, (std::vector<std::int32_t>{5, 7}));
  EXPECT_TRUE(round.sparse_begin.empty());
}

TEST(StoredRound, CopiesSomeActionsOfASparseRoundAndNamesThem) {
  const std::vector<std::int32_t> begin = {0, 2, 2, 3};
  const std::vector<std::int32_t> index = {0, 4, 1};
  const std::vector<double> value = {0.5, -0.5, 1.0};
  const std::vector<std::int32_t> places = {1, 2};
  StoredRound round;
  round.copy({.actions = 3, .sparse = {begin, index, value}}, places);
  EXPECT_EQ(round.sparse_begin, (std::vector<std::int32_t>{0, 0, 1}));
  EXPECT_EQ(round.sparse_index, (std::vector<std::int32_t>{1}));
  EXPECT_EQ(round.sparse_value, (std::vector<double>{1.0}));
  EXPECT_EQ(round.ids, places) << "without ids of their own, actions are where they stood";
}

}  // namespace
}  // namespace rein
