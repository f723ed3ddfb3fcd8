// Keys: who the accounts of a scope belong to, at most `most` of them.
//
// A key is a 128-bit digest of its name. When all places are taken, the key that was used least
// recently leaves, unless it is busy. Which key leaves depends only on the order of the calls, so a
// replay makes the same choice.
#pragma once

#include <cstdint>
#include <functional>
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
  // Whether the key in this slot must not leave.
  using Busy = std::function<bool(int slot)>;

  Keys() = default;
  explicit Keys(int most);

  int size() const { return static_cast<int>(nodes_.size()); }
  int most() const { return most_; }
  KeyDigest key(int slot) const { return nodes_[at(slot)].key; }
  int open(int slot) const { return nodes_[at(slot)].open; }
  // kNone if the key is not here.
  int find(const KeyDigest& key) const;
  // Whether add() would find a place.
  bool has_room(const Busy& busy) const;
  // Finds a place for a new key; slots from 0 to size() are used in order before any key leaves.
  // REQUIRES has_room().
  int add(const KeyDigest& key, const Busy& busy);
  void touch(int slot);  // it is now the most recently used

  // The number of its open decisions. A key with open decisions is busy.
  void change_open(int slot, int by) { nodes_[at(slot)].open += by; }

  void save(ByteWriter& out) const;  // without the numbers of open decisions
  Result<> load(ByteReader& in);

 private:
  struct Node {
    KeyDigest key;
    std::int32_t newer = kNone, older = kNone;
    std::int32_t open = 0;
  };
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  bool leaves(int slot, const Busy& busy) const { return open(slot) == 0 && !busy(slot); }
  void unlink(int slot);
  void link_newest(int slot);
  std::size_t home(const KeyDigest& key) const { return key.low & (table_.size() - 1); }
  void enter(int slot);
  void remove(int slot);

  int most_ = 0;
  std::int32_t newest_ = kNone, oldest_ = kNone;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> table_;  // open addressing; at most half full
};

}  // namespace rein
