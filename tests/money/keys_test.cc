#include "money/keys.h"

#include <gtest/gtest.h>

#include <list>
#include <set>
#include <string>

#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

KeyDigest key(int i) { return digest_of("user" + std::to_string(i), 7); }
const Keys::Busy kNobody = [](int) { return false; };

TEST(Keys, TheLeastRecentlyUsedLeaves) {
  Keys keys(2);
  EXPECT_EQ(keys.add(key(0), kNobody), 0);
  EXPECT_EQ(keys.add(key(1), kNobody), 1);
  keys.touch(0);
  EXPECT_EQ(keys.add(key(2), kNobody), 1);
  EXPECT_EQ(keys.find(key(1)), Keys::kNone);
  EXPECT_EQ(keys.find(key(0)), 0);
}

TEST(Keys, AKeyWithOpenDecisionsStays) {
  Keys keys(2);
  keys.add(key(0), kNobody);
  keys.add(key(1), kNobody);
  keys.change_open(0, 1);
  EXPECT_EQ(keys.add(key(2), kNobody), 1);
  keys.change_open(1, 1);
  EXPECT_FALSE(keys.has_room(kNobody));
  keys.change_open(0, -1);
  EXPECT_TRUE(keys.has_room(kNobody));
  EXPECT_FALSE(keys.has_room([](int slot) { return slot == 0; }));
}

TEST(Keys, DigestsDependOnTheSecret) {
  EXPECT_EQ(digest_of("acme", 1), digest_of("acme", 1));
  EXPECT_NE(digest_of("acme", 1), digest_of("acme", 2));
  EXPECT_FALSE(digest_of("", 0).empty());
}

// A list that is searched from end to end does the same, and so does a copy that was saved.
TEST(Keys, BehavesLikeAList) {
  Rng rng(3);
  for (int most : {1, 2, 7, 64}) {
    Keys keys(most);
    std::list<int> order;  // oldest first
    std::set<int> held;
    const auto busy = [&](int slot) {
      for (int name : held) {
        if (key(name) == keys.key(slot)) return true;
      }
      return false;
    };
    for (int step = 0; step < 4000; ++step) {
      const int name = static_cast<int>(rng.below(3 * most));
      const bool known = std::find(order.begin(), order.end(), name) != order.end();
      ASSERT_EQ(keys.find(key(name)) != Keys::kNone, known);
      if (known) {
        keys.touch(keys.find(key(name)));
        order.remove(name);
        order.push_back(name);
        if (rng.below(4) == 0 && !held.erase(name)) held.insert(name);
        continue;
      }
      const bool room = static_cast<int>(order.size()) < most || held.size() < order.size();
      ASSERT_EQ(keys.has_room(busy), room);
      if (!room) {
        held.erase(held.begin());
        continue;
      }
      if (static_cast<int>(order.size()) == most) {
        while (held.contains(order.front())) {
          order.push_back(order.front());
          order.pop_front();
        }
        order.pop_front();
      }
      order.push_back(name);
      keys.add(key(name), busy);
      if (step % 97 == 0) {
        ByteWriter out;
        keys.save(out);
        ByteReader in(out.bytes());
        Keys copy(most);
        copy.load(in).check();
        keys = copy;
      }
    }
  }
}

}  // namespace
}  // namespace rein
