#include "engine/ids.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "rein/rng.h"

namespace rein {
namespace {

constexpr std::uint64_t kKeyStream = 0x6964;  // apart from the stream that decisions draw from

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
constexpr std::uint64_t join(std::uint32_t x, std::uint32_t y) {
  return (static_cast<std::uint64_t>(x) << 32) | y;
}

}  // namespace

IdCipher::IdCipher(std::array<std::uint64_t, 2> key) {
  std::array<std::uint32_t, 3> l = {high(key[0]), low(key[1]), high(key[1])};
  keys_[0] = low(key[0]);
  for (std::uint32_t i = 0; i + 1 < kRounds; ++i) {
    std::uint32_t& next = l[i % 3];
    next = (keys_[i] + std::rotr(next, 8)) ^ i;
    keys_[i + 1] = std::rotl(keys_[i], 3) ^ next;
  }
}

IdCipher IdCipher::from(std::uint64_t seed, std::array<std::uint64_t, 2> secret) {
  Rng rng(seed, kKeyStream);
  for (std::uint64_t& half : secret) half ^= rng.bits();
  return IdCipher(secret);
}

std::uint64_t IdCipher::id_of(std::uint64_t number) const {
  std::uint32_t x = high(number);
  std::uint32_t y = low(number);
  for (std::uint32_t key : keys_) {
    x = (std::rotr(x, 8) + y) ^ key;
    y = std::rotl(y, 3) ^ x;
  }
  return join(x, y);
}

std::uint64_t IdCipher::number_of(std::uint64_t id) const {
  std::uint32_t x = high(id);
  std::uint32_t y = low(id);
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
    y = std::rotr(y ^ x, 3);
    x = std::rotl((x ^ *key) - y, 8);
  }
  return join(x, y);
}

// At most half full, so that a search ends soon.
IdTable::IdTable(std::int64_t most)
    : entries_(std::bit_ceil(static_cast<std::size_t>(std::max<std::int64_t>(most, 4)) * 2)),
      mask_(entries_.size() - 1) {}

std::size_t IdTable::place(std::uint64_t id) const {
  std::size_t at = home(id);
  while (entries_[at].value >= 0 && entries_[at].id != id) at = (at + 1) & mask_;
  return at;
}

std::int32_t IdTable::find(std::uint64_t id) const { return entries_[place(id)].value; }

void IdTable::insert(std::uint64_t id, std::int32_t value) {
  Entry& entry = entries_[place(id)];
  check(entry.value < 0, "id table: the id is there already");
  entry = {id, value};
}

void IdTable::erase(std::uint64_t id) {
  std::size_t hole = place(id);
  check(entries_[hole].value >= 0, "id table: the id is not there");
  // Entries after the hole move into it where that brings them no further than their home.
  for (std::size_t at = (hole + 1) & mask_; entries_[at].value >= 0; at = (at + 1) & mask_) {
    const std::size_t from_home = (at - home(entries_[at].id)) & mask_;
    if (from_home >= ((at - hole) & mask_)) {
      entries_[hole] = entries_[at];
      hole = at;
    }
  }
  entries_[hole].value = -1;
}

}  // namespace rein
