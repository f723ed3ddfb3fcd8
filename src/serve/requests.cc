#include "serve/requests.h"

#include <algorithm>

namespace rein::serve {

std::size_t Requests::slot(std::uint64_t digest) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = digest & mask;  // a digest is as good as random
  while (table_[at].entry != 0 && table_[at].digest != digest) at = (at + 1) & mask;
  return at;
}

std::int64_t Requests::find(const RequestMark& mark) const {
  return table_.empty() || mark.empty() ? 0 : table_[slot(mark.high)].entry;
}

void Requests::put(std::uint64_t digest, std::int64_t entry) {
  Place& place = table_[slot(digest)];
  if (place.entry == 0) ++used_;
  place = {digest, entry};
}

void Requests::grow() {
  std::vector<Place> old(table_.empty() ? 64 : table_.size() * 2);
  old.swap(table_);
  used_ = 0;
  for (const Place& place : old) {
    if (place.entry != 0) put(place.digest, place.entry);
  }
}

// Later places that were passed on the way to theirs move up, so that no search ends too early.
void Requests::take_out(std::uint64_t digest, std::int64_t entry) {
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = slot(digest);
  if (table_[hole].entry != entry) return;  // a later request replaced it
  for (std::size_t at = (hole + 1) & mask; table_[at].entry != 0; at = (at + 1) & mask) {
    const std::size_t home = table_[at].digest & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;  // its way does not pass the hole
    table_[hole] = table_[at];
    hole = at;
  }
  table_[hole] = {};
  --used_;
}

void Requests::forget(std::int64_t now) {
  while (size() > remember_ && order_.front().at < now - kRequestSeconds) {
    take_out(order_.front().digest, order_.front().entry);
    order_.pop_front();
  }
}

void Requests::set_back(std::int64_t now) {
  for (Known& known : order_) known.at = std::min(known.at, now);
}

void Requests::add(const RequestMark& mark, std::int64_t entry, std::int64_t at) {
  forget(at);
  if ((used_ + 1) * 3 > table_.size() * 2) grow();
  put(mark.high, entry);
  order_.push_back({mark.high, entry, at});
}

void Requests::save(ByteWriter& out) const {
  out.i64(size());
  for (const Known& known : order_) {
    out.u64(known.digest);
    out.i64(known.entry);
    out.i64(known.at);
  }
}

Result<> Requests::load(ByteReader& in) {
  const std::int64_t count = in.i64();
  if (count < 0 || static_cast<std::size_t>(count) > in.left() / 24) {
    in.fail("requests: a count that cannot be");
    return in.status();
  }
  for (std::int64_t i = 0; i < count; ++i) {
    Known known{.digest = in.u64()};
    known.entry = in.i64();
    known.at = in.i64();
    if (known.entry <= 0) in.fail("requests: an entry that cannot be");
    if (!in.ok()) return in.status();
    if ((used_ + 1) * 3 > table_.size() * 2) grow();
    put(known.digest, known.entry);
    order_.push_back(known);
  }
  return in.status();
}

}  // namespace rein::serve
