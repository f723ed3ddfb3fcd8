// Keys: the keys of one scope that have accounts, at most `most` of them.
//
// A key is a 128-bit digest of its name. Every key is on at most one list. When all places are
// taken, the first key of list 0 leaves. A key that may not leave is on no list, or on another list
// together with keys that wait for the same event: when the event comes, join() moves them to the
// end of list 0 in one step. leaving.cc decides which key waits for what. Lists depend only on the
// order of the calls, so a replay makes the same choice.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rein/budget.h"
#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

// The digest of a name; never empty(). Keyed, so that nobody outside can make two names collide.
KeyDigest digest_of(std::string_view key, std::uint64_t secret);

class Keys {
 public:
  static constexpr int kNone = -1;

  Keys() = default;
  Keys(int most, int lists);

  int size() const { return static_cast<int>(nodes_.size()); }
  int most() const { return most_; }
  bool full() const { return size() == most_; }
  KeyDigest key(int slot) const { return nodes_[at(slot)].key; }
  int open(int slot) const { return nodes_[at(slot)].open; }
  // How many keys have open decisions.
  int in_use() const { return in_use_; }
  // kNone if the key is not here.
  int find(const KeyDigest& key) const;
  // Adds a new key, on no list, and returns its slot. REQUIRES a slot that was never used: size() <
  // most().
  int add(const KeyDigest& key);
  // The key in this slot leaves, and a new key takes the slot, on no list.
  void replace(int slot, const KeyDigest& key);

  // The first key of a list, and the key after `slot` on its list; kNone if there is none.
  int first(int list) const { return as_slot(ends_[at(list)].newer); }
  int next(int slot) const { return as_slot(nodes_[at(slot)].link.newer); }
  // Moves a key from wherever it is to the end of a list, or to no list.
  void put(int slot, int list);
  void take_off(int slot);
  // Moves all keys of a list, in their order, to the end of list 0.
  void join(int list);

  // The number of its open decisions.
  void change_open(int slot, int by);

  void save(ByteWriter& out) const;  // without the numbers of open decisions
  Result<> load(ByteReader& in);

 private:
  // Neighbours on a list, which is a ring through its end: a slot, or ~number of the list. A key that is
  // on no list is its own neighbour.
  struct Link {
    std::int32_t newer = kNone, older = kNone;
  };
  struct Node {
    KeyDigest key;
    Link link;
    std::int32_t open = 0;
  };
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  static int as_slot(std::int32_t place) { return place < 0 ? kNone : place; }
  Link& link(std::int32_t place) { return place < 0 ? ends_[at(~place)] : nodes_[at(place)].link; }
  void load_lists(ByteReader& in);
  std::size_t home(const KeyDigest& key) const { return key.low & (table_.size() - 1); }
  void enter(int slot);
  void remove(int slot);

  int most_ = 0;
  int in_use_ = 0;
  std::vector<Node> nodes_;
  std::vector<Link> ends_;           // of the lists: newer is the first key, older the last
  std::vector<std::int32_t> table_;  // open addressing; at most half full
};

}  // namespace rein
