#include "engine/settled.h"

#include <algorithm>
#include <bit>

#include "engine/hash.h"

namespace rein {
namespace {

// Equal numbers have equal bits (0.0 and -0.0 too).
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x == 0.0 ? 0.0 : x); }

}  // namespace

std::uint64_t digest_of(std::uint64_t id, const Outcome& outcome) {
  std::uint64_t words[2 + kMaxCosts] = {id, bits_of(outcome.reward)};
  std::size_t size = 2;
  for (double cost : outcome.costs) words[size++] = bits_of(cost);
  const std::uint64_t digest = hash_of(std::span<const std::uint64_t>(words, size));
  return digest <= kCancelledDigest ? 2 : digest;
}

Settled::Settled(std::int64_t most)
    : ring_(static_cast<std::size_t>(most)), lists_(std::bit_ceil(ring_.size())) {}

std::int64_t Settled::push_of(std::uint64_t number) const {
  std::int64_t n = lists_[number & (lists_.size() - 1)] - 1;
  while (n >= pushed_ - size_) {
    const Kept& kept = ring_[place(n)];
    if (kept.entry.number == number) return n;
    n = kept.before - 1;
  }
  return -1;
}

const Settled::Entry* Settled::find(std::uint64_t number) const {
  const std::int64_t n = push_of(number);
  return n < 0 ? nullptr : &ring_[place(n)].entry;
}

void Settled::replace(std::uint64_t number, std::uint64_t digest) {
  ring_[place(push_of(number))].entry.digest = digest;
}

std::optional<std::uint64_t> Settled::push(const Entry& entry) {
  if (ring_.empty()) return entry.number;
  std::optional<std::uint64_t> forgotten;
  if (size_ == static_cast<std::int64_t>(ring_.size())) forgotten = ring_[next_].entry.number;
  std::int64_t& list = lists_[entry.number & (lists_.size() - 1)];
  ring_[next_] = {entry, list};
  list = ++pushed_;
  if (++next_ == ring_.size()) next_ = 0;
  size_ = std::min(size_ + 1, static_cast<std::int64_t>(ring_.size()));
  return forgotten;
}

}  // namespace rein
