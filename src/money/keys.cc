#include "money/keys.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "rein/bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rein {

KeyDigest digest_of(std::string_view key, std::uint64_t secret) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(key.data(), key.size(), secret);
  return {hash.low64, hash.high64 | 1};  // never empty
}

Keys::Keys(int most) : most_(most) {
  check(most >= 1, "keys: no places");
  table_.assign(std::bit_ceil(at(most) * 2), kNone);
}

int Keys::find(const KeyDigest& key) const {
  for (std::size_t i = home(key); table_[i] != kNone; i = (i + 1) & (table_.size() - 1)) {
    if (nodes_[at(table_[i])].key == key) return table_[i];
  }
  return kNone;
}

void Keys::enter(int slot) {
  std::size_t i = home(key(slot));
  while (table_[i] != kNone) i = (i + 1) & (table_.size() - 1);
  table_[i] = slot;
}

// Closes the gap, so that every key is reached from its home without passing an empty place.
void Keys::remove(int slot) {
  const std::size_t mask = table_.size() - 1;
  std::size_t gap = home(key(slot));
  while (table_[gap] != slot) gap = (gap + 1) & mask;
  for (std::size_t i = (gap + 1) & mask; table_[i] != kNone; i = (i + 1) & mask) {
    const std::size_t from = home(nodes_[at(table_[i])].key);
    if (((i - from) & mask) >= ((i - gap) & mask)) {
      table_[gap] = table_[i];
      gap = i;
    }
  }
  table_[gap] = kNone;
}

void Keys::unlink(int slot) {
  Node& node = nodes_[at(slot)];
  (node.newer == kNone ? newest_ : nodes_[at(node.newer)].older) = node.older;
  (node.older == kNone ? oldest_ : nodes_[at(node.older)].newer) = node.newer;
}

void Keys::link_newest(int slot) {
  nodes_[at(slot)].newer = kNone;
  nodes_[at(slot)].older = newest_;
  (newest_ == kNone ? oldest_ : nodes_[at(newest_)].newer) = slot;
  newest_ = slot;
}

void Keys::touch(int slot) {
  if (slot == newest_) return;
  unlink(slot);
  link_newest(slot);
}

bool Keys::has_room(const Busy& busy) const {
  if (size() < most_) return true;
  for (int slot = oldest_; slot != kNone; slot = nodes_[at(slot)].newer) {
    if (leaves(slot, busy)) return true;
  }
  return false;
}

int Keys::add(const KeyDigest& key, const Busy& busy) {
  check(find(key) == kNone, "keys: a key is added twice");
  int slot = size();
  if (slot < most_) {
    nodes_.emplace_back();
  } else {
    // Busy keys count as used now, so that the next search does not meet them again.
    for (slot = oldest_; !leaves(slot, busy); slot = oldest_) touch(slot);
    remove(slot);
    unlink(slot);
  }
  nodes_[at(slot)] = {.key = key};
  link_newest(slot);
  enter(slot);
  return slot;
}

void Keys::save(ByteWriter& out) const {
  out.i64(size());
  for (const Node& node : nodes_) {
    out.u64(node.key.low);
    out.u64(node.key.high);
  }
  for (int slot = oldest_; slot != kNone; slot = nodes_[at(slot)].newer) out.i64(slot);
}

Result<> Keys::load(ByteReader& in) {
  Keys read(most_);
  const std::int64_t count = in.between("number of keys", 0, most_);
  for (std::int64_t slot = 0; slot < count && in.ok(); ++slot) {
    const KeyDigest key{in.u64(), in.u64()};
    if (key.empty() || read.find(key) != kNone) {
      in.fail("saved state: a key that cannot be");
      break;
    }
    read.nodes_.push_back({.key = key});
    read.enter(static_cast<int>(slot));
  }
  std::vector<bool> seen(at(count), false);
  for (std::int64_t i = 0; i < count && in.ok(); ++i) {
    const std::int64_t slot = in.between("place of a key", 0, count - 1);
    if (seen[at(slot)]) in.fail("saved state: a key that is twice in its order");
    seen[at(slot)] = true;
    if (in.ok()) read.link_newest(static_cast<int>(slot));
  }
  if (auto ok = in.status(); !ok) return ok;
  *this = std::move(read);
  return {};
}

}  // namespace rein
