// The engine's two lists of decisions against plain maps: Open, found by id, and Settled, found by
// number.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "engine/open.h"
#include "engine/settled.h"
#include "property.h"

namespace rein {
namespace {

// Ids that differ only in their high bits, so that they all fall into one bucket.
std::uint64_t crowded(std::uint64_t number) { return number << 40 | (number & 1); }

std::vector<std::uint64_t> in_order(const Open& open) {
  std::vector<std::uint64_t> numbers;
  for (std::int32_t slot = open.oldest(); slot >= 0; slot = open[slot].newer) {
    numbers.push_back(open[slot].number);
  }
  return numbers;
}

TEST(Open, BehavesAsAMapThatKeepsItsOrder) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& steps) {
    constexpr std::int64_t kMost = 40;
    Open open(kMost);
    std::map<std::uint64_t, std::uint64_t> model;  // number to id
    std::uint64_t next = 0;
    for (std::uint8_t step : steps) {
      RC_ASSERT(open.full() == (model.size() == kMost));
      if (step % 3 != 0 && !open.full()) {
        open.draft().id = crowded(next);
        open.add(next);
        model[next] = crowded(next);
        ++next;
      } else if (!model.empty()) {
        const auto which = std::next(model.begin(), step % static_cast<int>(model.size()));
        open.remove(open.find(which->second));
        model.erase(which);
      }
      RC_ASSERT(open.size() == static_cast<std::int64_t>(model.size()));
      std::vector<std::uint64_t> numbers;
      for (const auto& [number, id] : model) {
        numbers.push_back(number);
        RC_ASSERT(open[open.find(id)].number == number);
      }
      RC_ASSERT(in_order(open) == numbers);
      RC_ASSERT(open.find(crowded(next)) == -1);
    }
  }));
}

TEST(Open, HasADraftEvenWhereItIsFull) {
  Open open(1);
  open.draft().id = 7;
  open.add(0);
  ASSERT_TRUE(open.full());
  open.draft().id = 8;
  EXPECT_EQ(open.find(8), -1);
  EXPECT_EQ(open[open.find(7)].record.id, 7u);
  open.remove(open.find(7));  // gives way: what was written for the new one stays
  EXPECT_EQ(open.draft().id, 8u);
  open.add(1);
  EXPECT_EQ(open[open.find(8)].number, 1u);
  EXPECT_EQ(open.size(), 1);
}

// Numbers with the same low bits, in any order.
TEST(Settled, RemembersTheLatest) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& steps) {
    const auto most = *rc::gen::inRange<std::int64_t>(0, 12);
    Settled settled(most, 2);
    std::deque<std::uint64_t> model;
    std::set<std::uint64_t> all;
    for (std::uint8_t step : steps) {
      const std::uint64_t number = step % 7 * 16 + step % 2;
      if (std::ranges::count(model, number) == 0) {
        settled.push(number, {number + 100, kExpiredDigest});
        if (step % 3 == 0 && settled.size() > 0) settled.replace(number, 1, number + 200);
        model.push_back(number);
        if (static_cast<std::int64_t>(model.size()) > most) model.pop_front();
        all.insert(number);
      }
      RC_ASSERT(settled.size() == static_cast<std::int64_t>(model.size()));
      for (std::size_t i = 0; i < model.size(); ++i) {
        RC_ASSERT(settled[static_cast<std::int64_t>(i)].number == model[i]);
      }
      for (std::uint64_t one : all) {
        const auto found = settled.find(one);
        RC_ASSERT(found.has_value() == (std::ranges::count(model, one) > 0));
        if (!found) continue;
        RC_ASSERT(found->digests.size() == 2 && found->digests[0] == one + 100);
        RC_ASSERT(found->digests[1] == kExpiredDigest || found->digests[1] == one + 200);
      }
    }
  }));
}

}  // namespace
}  // namespace rein
