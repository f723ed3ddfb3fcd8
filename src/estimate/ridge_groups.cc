// Groups of heads of Ridge: where outcomes come in parts, the heads that came together have factors of
// their own.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/size.h"
#include "estimate/ridge.h"
#include "rein/bytes.h"

namespace rein {

double Ridge::split(std::span<const double> outcomes) {
  int came = 0;
  for (double y : outcomes) came += std::isnan(y) ? 0 : 1;
  for (int part = parts() - 1; part >= 0; --part) {
    int here = 0;
    for (int i = starts_[at(part)]; i < starts_[at(part) + 1]; ++i) {
      here += std::isnan(outcomes[at(order_[at(i)])]) ? 0 : 1;
    }
    if (here > 0 && here < heads_in(part)) split_off(part, outcomes);
  }
  return static_cast<double>(came) / heads_.size();
}

// The heads that came like the group's first one stay. The others become the group after it, with
// the same factors. Their rows move behind those that stay, in every set.
void Ridge::split_off(int part, std::span<const double> outcomes) {
  const int begin = starts_[at(part)], end = starts_[at(part) + 1];
  const bool first_came = !std::isnan(outcomes[at(order_[at(begin)])]);
  const auto stays = [&](int head) { return !std::isnan(outcomes[at(head)]) == first_came; };
  more_.insert(more_.begin() + part, factors(part));  // may throw: nothing has changed yet
  std::vector<int> heads(order_.begin() + begin, order_.begin() + end);
  std::vector<int> from(heads.size());
  std::iota(from.begin(), from.end(), 0);
  const auto middle =
      std::stable_partition(from.begin(), from.end(), [&](int i) { return stays(heads[at(i)]); });
  std::vector<double> moved(at((end - begin) * d_));
  for (int set = 0; set < sets_; ++set) {
    double* c = rows(set) + as_size(begin * d_);
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::copy_n(c + as_size(from[i] * d_), d_,
                  moved.begin() + static_cast<std::ptrdiff_t>(i) * d_);
    }
    std::ranges::copy(moved, c);
  }
  for (std::size_t i = 0; i < from.size(); ++i) order_[at(begin) + i] = heads[at(from[i])];
  starts_.insert(starts_.begin() + part + 1, begin + static_cast<int>(middle - from.begin()));
}

// Without groups nothing is added to what was always saved, but for a count of 0.
void Ridge::save_groups(ByteWriter& out) const {
  out.i64(parts() - 1);
  if (parts() == 1) return;
  for (int head : order_) out.i64(head);
  for (int part = 1; part < parts(); ++part) out.i64(starts_[at(part)]);
  for (const Factors& factors : more_) factors.save(out);
}

void Ridge::load_groups(ByteReader& in) {
  const int m = heads_.size();
  const auto groups = static_cast<int>(in.between("groups of heads", 0, m - 1));
  more_.clear();
  std::iota(order_.begin(), order_.end(), 0);
  starts_ = {0, m};
  if (groups == 0 || !in.ok()) return;
  std::vector<bool> seen(at(m));
  for (int& head : order_) {
    head = static_cast<int>(in.between("head", 0, m - 1));
    if (seen[at(head)]) in.fail("ridge: a head in two groups");
    seen[at(head)] = true;
  }
  if (order_[0] != 0) in.fail("ridge: the reward is not in the first group");
  for (int part = 1; part <= groups; ++part) {
    const std::int64_t least = starts_[at(part) - 1] + 1;
    const auto start = static_cast<int>(in.between("start of a group", least, m - 1));
    starts_.insert(starts_.end() - 1, start);
    if (!in.ok()) break;
  }
  const std::size_t saved = factors_.size() / as_size(sets_) * as_size(in.saved(sets_));
  if (in.left() / sizeof(double) < at(groups) * saved) in.fail("ridge: groups are missing");
  for (int part = 1; part <= groups && in.ok(); ++part) {
    const bool anew = in.grows() || in.renews(sets_);
    more_.push_back(anew ? Factors(d_, sets_, reg_) : factors_);
    more_.back().load_sets(in, sets_);
  }
  if (in.ok()) return;
  more_.clear();  // refused: no group without its factors
  starts_ = {0, m};
}

}  // namespace rein
