#include "engine/settled.h"

#include <bit>

#include "engine/hash.h"

namespace rein {
namespace {

std::uint64_t hash_of(const Settled::Entry& entry, std::int64_t number) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(number));
  hash.add(entry.id);
  hash.add(entry.digest);
  return hash.value();
}

// Equal numbers have equal bits.
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x == 0.0 ? 0.0 : x); }

}  // namespace

std::uint64_t digest_of(std::uint64_t id, const Outcome& outcome) {
  Hash hash;
  hash.add(id);
  hash.add(bits_of(outcome.reward));
  for (double cost : outcome.costs) hash.add(bits_of(cost));
  const std::uint64_t digest = hash.value();
  return digest == kExpiredDigest ? 1 : digest;
}

Settled::Settled(std::int64_t most) : ring_(static_cast<std::size_t>(most)), table_(most) {}

const Settled::Entry* Settled::find(std::uint64_t id) const {
  const std::int32_t place = table_.find(id);
  return place < 0 ? nullptr : &ring_[static_cast<std::size_t>(place)];
}

void Settled::push(const Entry& entry, std::int64_t number) {
  const auto most = static_cast<std::int64_t>(ring_.size());
  if (most == 0) return;
  if (size_ == most) {
    const Entry& oldest = ring_[at(first_)];
    table_.erase(oldest.id);
    hash_ -= hash_of(oldest, number - most);
    first_ = (first_ + 1) % most;
    --size_;
  }
  const std::size_t place = at(first_ + size_);
  ring_[place] = entry;
  table_.insert(entry.id, static_cast<std::int32_t>(place));
  hash_ += hash_of(entry, number);
  ++size_;
}

}  // namespace rein
