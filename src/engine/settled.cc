#include "engine/settled.h"

#include <algorithm>
#include <bit>

#include "engine/hash.h"

namespace rein {
namespace {

// Equal numbers have equal bits (0.0 and -0.0 too).
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x == 0.0 ? 0.0 : x); }

}  // namespace

std::uint64_t digest_of(std::uint64_t id, int part, double value) {
  const std::uint64_t words[] = {id, static_cast<std::uint64_t>(part), bits_of(value)};
  const std::uint64_t digest = hash_of(std::span<const std::uint64_t>(words));
  return digest <= kCancelledDigest ? 2 : digest;
}

Settled::Settled(std::int64_t most, int parts)
    : parts_(static_cast<std::size_t>(parts)),
      ring_(static_cast<std::size_t>(most)),
      digests_(ring_.size() * parts_),
      lists_(std::bit_ceil(ring_.size())) {}

std::int64_t Settled::push_of(std::uint64_t number) const {
  std::int64_t n = lists_[number & (lists_.size() - 1)] - 1;
  while (n >= pushed_ - size_) {
    const Kept& kept = ring_[place(n)];
    if (kept.number == number) return n;
    n = kept.before - 1;
  }
  return -1;
}

std::optional<Settled::Entry> Settled::find(std::uint64_t number) const {
  const std::int64_t n = push_of(number);
  return n < 0 ? std::nullopt : std::optional(at(place(n)));
}

void Settled::replace(std::uint64_t number, int part, std::uint64_t digest) {
  digests_[place(push_of(number)) * parts_ + static_cast<std::size_t>(part)] = digest;
}

std::optional<std::uint64_t> Settled::push(std::uint64_t number, const Digests& digests) {
  if (ring_.empty()) return number;
  std::optional<std::uint64_t> forgotten;
  if (size_ == static_cast<std::int64_t>(ring_.size())) forgotten = ring_[next_].number;
  std::copy_n(digests.begin(), parts_, digests_.data() + next_ * parts_);
  std::int64_t& list = lists_[number & (lists_.size() - 1)];
  ring_[next_] = {number, list};
  list = ++pushed_;
  if (++next_ == ring_.size()) next_ = 0;
  size_ = std::min(size_ + 1, static_cast<std::int64_t>(ring_.size()));
  return forgotten;
}

}  // namespace rein
