#include "money/keys.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

KeyDigest key(int i) { return digest_of("user" + std::to_string(i), 7); }
constexpr int kKeyLists = 3;

std::vector<int> on_list(const Keys& keys, int list) {
  std::vector<int> slots;
  for (int slot = keys.first(list); slot != Keys::kNone; slot = keys.next(slot)) slots.push_back(slot);
  return slots;
}

TEST(Keys, AKeyIsOnOneListAtMost) {
  Keys keys(2, kKeyLists);
  EXPECT_EQ(keys.add(key(0)), 0);
  EXPECT_EQ(keys.add(key(1)), 1);
  EXPECT_TRUE(keys.full());
  EXPECT_EQ(keys.first(0), Keys::kNone);
  keys.put(0, 0);
  keys.put(1, 0);
  keys.put(0, 0);
  EXPECT_EQ(on_list(keys, 0), (std::vector<int>{1, 0}));
  keys.put(1, 2);
  EXPECT_EQ(on_list(keys, 0), std::vector<int>{0});
  EXPECT_EQ(on_list(keys, 2), std::vector<int>{1});
  keys.take_off(1);
  keys.take_off(1);
  EXPECT_EQ(keys.first(2), Keys::kNone);
}

TEST(Keys, AKeyThatLeavesIsReplaced) {
  Keys keys(2, kKeyLists);
  keys.put(keys.add(key(0)), 0);
  keys.put(keys.add(key(1)), 0);
  keys.replace(0, key(2));
  EXPECT_EQ(keys.find(key(0)), Keys::kNone);
  EXPECT_EQ(keys.find(key(2)), 0);
  EXPECT_EQ(on_list(keys, 0), std::vector<int>{1}) << "the new one is on no list";
}

TEST(Keys, KeysWithOpenDecisionsAreCounted) {
  Keys keys(2, kKeyLists);
  keys.add(key(0));
  keys.add(key(1));
  keys.change_open(0, 1);
  keys.change_open(0, 1);
  keys.change_open(1, 1);
  EXPECT_EQ(keys.in_use(), 2);
  keys.change_open(0, -1);
  EXPECT_EQ(keys.in_use(), 2);
  keys.change_open(0, -1);
  EXPECT_EQ(keys.in_use(), 1);
}

TEST(Keys, DigestsDependOnTheSecret) {
  EXPECT_EQ(digest_of("acme", 1), digest_of("acme", 1));
  EXPECT_NE(digest_of("acme", 1), digest_of("acme", 2));
  EXPECT_FALSE(digest_of("", 0).empty());
}

// Plain lists do the same, and so does a copy that was saved.
TEST(Keys, BehavesLikeLists) {
  Rng rng(3);
  for (int most : {1, 2, 7, 64}) {
    Keys keys(most, kKeyLists);
    std::map<int, int> slots;  // by name
    std::array<std::vector<int>, kKeyLists> lists;
    const auto take_off = [&](int slot) {
      for (std::vector<int>& list : lists) std::erase(list, slot);
    };
    for (int step = 0; step < 4000; ++step) {
      const int name = static_cast<int>(rng.below(3 * most));
      const auto known = slots.find(name);
      ASSERT_EQ(keys.find(key(name)), known != slots.end() ? known->second : Keys::kNone);
      const int list = static_cast<int>(rng.below(kKeyLists));
      if (known != slots.end()) {
        take_off(known->second);
        if (rng.below(4) == 0) {
          keys.take_off(known->second);
        } else {
          keys.put(known->second, list);
          lists[static_cast<std::size_t>(list)].push_back(known->second);
        }
      } else if (!keys.full()) {
        slots[name] = keys.add(key(name));
      } else {
        const int slot = static_cast<int>(rng.below(most));
        std::erase_if(slots, [&](const auto& one) { return one.second == slot; });
        slots[name] = slot;
        take_off(slot);
        keys.replace(slot, key(name));
      }
      if (rng.below(20) == 0 && list > 0) {
        keys.join(list);
        std::vector<int>& from = lists[static_cast<std::size_t>(list)];
        lists[0].insert(lists[0].end(), from.begin(), from.end());
        from.clear();
      }
      for (int i = 0; i < kKeyLists; ++i) {
        ASSERT_EQ(on_list(keys, i), lists[static_cast<std::size_t>(i)]);
      }
      if (step % 97 == 0) {
        ByteWriter out;
        keys.save(out);
        ByteReader in(out.bytes());
        Keys copy(most, kKeyLists);
        copy.load(in).check();
        keys = copy;
      }
    }
  }
}

}  // namespace
}  // namespace rein
