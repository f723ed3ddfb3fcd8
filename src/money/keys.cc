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

Keys::Keys(int most, int lists) : most_(most), ends_(at(lists)) {
  check(most >= 1 && lists >= 1, "keys: no places");
  table_.assign(std::bit_ceil(at(most) * 2), kNone);
  for (int list = 0; list < lists; ++list) ends_[at(list)] = {~list, ~list};
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

void Keys::take_off(int slot) {
  Link& own = nodes_[at(slot)].link;
  link(own.newer).older = own.older;
  link(own.older).newer = own.newer;
  own = {slot, slot};
}

void Keys::put(int slot, int list) {
  take_off(slot);
  Link& end = ends_[at(list)];
  nodes_[at(slot)].link = {~list, end.older};
  link(end.older).newer = slot;
  end.older = slot;
}

void Keys::join(int list) {
  Link& from = ends_[at(list)];
  if (from.newer == ~list) return;
  Link& to = ends_[0];
  link(from.newer).older = to.older;
  link(to.older).newer = from.newer;
  link(from.older).newer = ~0;
  to.older = from.older;
  from = {~list, ~list};
}

void Keys::change_open(int slot, int by) {
  std::int32_t& open = nodes_[at(slot)].open;
  in_use_ -= open > 0;
  open += by;
  in_use_ += open > 0;
}

int Keys::add(const KeyDigest& key) {
  check(!full() && find(key) == kNone, "keys: a key is added twice, or has no place");
  const int slot = size();
  nodes_.push_back({.key = key, .link = {slot, slot}});
  enter(slot);
  return slot;
}

void Keys::replace(int slot, const KeyDigest& key) {
  check(open(slot) == 0 && find(key) == kNone, "keys: a key with open decisions leaves");
  take_off(slot);
  remove(slot);
  nodes_[at(slot)].key = key;
  enter(slot);
}

// Before version 8 there was one list, with all keys.
void Keys::save(ByteWriter& out) const {
  out.i64(size());
  for (const Node& node : nodes_) {
    out.u64(node.key.low);
    out.u64(node.key.high);
  }
  const int lists = out.version() >= 8 ? static_cast<int>(ends_.size()) : 1;
  for (int list = 0; list < lists; ++list) {
    for (int slot = first(list); slot != kNone; slot = next(slot)) out.i64(slot);
    if (out.version() >= 8) out.i64(kNone);
  }
}

Result<> Keys::load(ByteReader& in) {
  Keys read(most_, static_cast<int>(ends_.size()));
  const std::int64_t count = in.between("number of keys", 0, most_);
  for (std::int64_t slot = 0; slot < count && in.ok(); ++slot) {
    const KeyDigest key{in.u64(), in.u64()};
    if (key.empty() || read.find(key) != kNone) {
      in.fail("saved state: a key that cannot be");
      break;
    }
    read.add(key);
  }
  if (in.ok()) read.load_lists(in);
  if (auto ok = in.status(); !ok) return ok;
  *this = std::move(read);
  return {};
}

void Keys::load_lists(ByteReader& in) {
  const int lists = in.version() >= 8 ? static_cast<int>(ends_.size()) : 1;
  std::vector<bool> visited(nodes_.size(), false);
  for (int list = 0; list < lists; ++list) {
    for (int n = 0; in.version() >= 8 || n < size(); ++n) {
      const auto slot = static_cast<int>(in.between("place of a key", kNone, size() - 1));
      if (!in.ok() || (slot == kNone && in.version() >= 8)) break;
      if (slot == kNone || visited[at(slot)]) {
        return in.fail("saved state: a key that is on its list twice");
      }
      visited[at(slot)] = true;
      put(slot, list);
    }
  }
}

}  // namespace rein
