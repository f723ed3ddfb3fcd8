#include "policy/peers/round_store.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {
RoundStore::RoundStore(const Shape& shape, std::int64_t most, std::size_t most_doubles)
    : actions_(shape.actions),
      context_(shape.context),
      features_(shape.features),
      stride_(1 + as_size(actions_) + as_size(context_) + as_size(actions_) * as_size(features_)) {
  const auto fit = static_cast<std::int64_t>(most_doubles / stride_);
  const std::int64_t room = std::clamp<std::int64_t>(std::min(most, fit), 1, 1 << 30);
  room_ = static_cast<int>(room);
  numbers_.resize(as_size(room) * stride_);
}

void RoundStore::pack(const Round& round, double* to) const {
  std::fill(to, to + stride_, 0.0);
  *to++ = round.actions;
  for (int a = 0; a < round.actions; ++a) to[a] = round.id(a);
  to = std::copy(round.context.begin(), round.context.end(), to + actions_);
  if (!round.features.empty() || features_ == 0) {
    std::copy(round.features.begin(), round.features.end(), to);
    return;
  }
  for (int a = 0; a < round.actions; ++a, to += features_) {
    for (int j = round.sparse.begin[a]; j < round.sparse.begin[a + 1]; ++j) {
      to[round.sparse.index[j]] = round.sparse.value[j];
    }
  }
}

int RoundStore::find(const double* packed) const {
  for (int i = 0; i < size_; ++i) {
    if (std::memcmp(row(i), packed, stride_ * sizeof(double)) == 0) return i;
  }
  return -1;
}

void RoundStore::add(const Round& round) {
  check(size_ < room_, "round store: no room");
  pack(round, numbers_.data() + as_size(size_) * stride_);
  ++size_;
}

Round RoundStore::at(int i, std::vector<std::int32_t>& ids) const {
  const double* from = row(i);
  const int actions = static_cast<int>(*from++);
  ids.clear();
  for (int a = 0; a < actions; ++a) ids.push_back(static_cast<std::int32_t>(from[a]));
  from += actions_;
  const double* features = from + context_;
  return {.actions = actions,
          .context = {from, as_size(context_)},
          .features = {features, as_size(actions) * as_size(features_)},
          .ids = ids};
}

void RoundStore::save(ByteWriter& out) const {
  out.i64(size_);
  out.f64s({numbers_.data(), as_size(size_) * stride_});
}

void RoundStore::load(ByteReader& in) {
  const std::int64_t size = in.i64();
  if (size < 0 || size > room_) in.fail("saved state keeps more rounds than there is room for");
  size_ = in.ok() ? static_cast<int>(size) : 0;
  in.f64s({numbers_.data(), as_size(size_) * stride_});
  const auto within = [](double x, double low, double high) { return x >= low && x <= high; };
  for (int i = 0; i < size_ && in.ok(); ++i) {
    bool sound = within(row(i)[0], 1.0, actions_);
    for (int a = 1; a <= actions_; ++a) sound = sound && within(row(i)[a], 0.0, actions_ - 1.0);
    if (!sound) in.fail("saved state keeps a round that the shape does not have");
  }
  if (!in.ok()) size_ = 0;
}

}  // namespace rein
