#include "policy/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/size.h"
#include "policy/common.h"

namespace rein {
namespace {

constexpr double kRounding = 1e-12;
constexpr int kPasses = 16;

// One number per action, from one for all or a list. Actions that were added later have no limit.
std::vector<double> per_action(SpecReader& read, std::string_view key, const Shape& shape,
                               double no_limit) {
  std::vector<double> found = read.numbers(key, {.low = 0.0, .high = 1.0});
  if (found.size() == 1) found.resize(as_size(shape.actions), found[0]);
  if (shape.added > 0 && found.size() == as_size(shape.actions - shape.added)) {
    found.resize(as_size(shape.actions), no_limit);
  }
  if (!found.empty() && found.size() != as_size(shape.actions)) {
    read.refuse(
        fmt::format("key \"{}\" has {} numbers; accepted: one per action ({}), or one for all", key,
                    found.size(), shape.actions));
    found.clear();
  }
  return found;
}

double sum(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

}  // namespace

Shares::Shares(SpecReader& read, const Shape& shape)
    : least_(per_action(read, "least", shape, 0.0)),
      most_(per_action(read, "most", shape, 1.0)),
      holdout_(read.number("holdout", 0.0, {.low = 0.0, .high = 1.0})),
      control_(static_cast<int>(read.integer("control", -1, 0, shape.actions - 1))) {
  if (std::ranges::all_of(least_, [](double x) { return x == 0.0; })) least_.clear();
  if (std::ranges::all_of(most_, [](double x) { return x == 1.0; })) most_.clear();
  active_ = !least_.empty() || !most_.empty() || holdout_ > 0.0;
  check(read, shape);
}

void Shares::check(SpecReader& read, const Shape& shape) const {
  if ((holdout_ > 0.0) != (control_ >= 0)) {
    return read.refuse(
        "a holdout needs its control; accepted: holdout=SHARE,control=ACTION, or "
        "neither");
  }
  const double given = sum(least_) + holdout_;
  if (given > 1.0 + kRounding) {
    return read.refuse(
        fmt::format("the least shares and the holdout sum to {:.6g}; accepted: at most 1", given));
  }
  if (most_.empty()) return;
  if (sum(most_) < 1.0 - kRounding) {
    return read.refuse(
        fmt::format("the most shares sum to {:.6g}; accepted: at least 1", sum(most_)));
  }
  for (int a = 0; a < shape.actions; ++a) {
    const double needs =
        (least_.empty() ? 0.0 : least_[as_size(a)]) + (a == control_ ? holdout_ : 0.0);
    if (needs <= most_[as_size(a)] + kRounding) continue;
    return read.refuse(
        fmt::format("action {} has the most share {}, and its least share and the holdout are {}; "
                    "accepted: at least that",
                    a, most_[as_size(a)], needs));
  }
}

int Shares::control_in(const Round& round) const {
  if (holdout_ == 0.0) return -1;
  for (int a = 0; a < round.actions; ++a) {
    if (round.id(a) == control_) return a;
  }
  return -1;
}

double Shares::forced(const Round& round, int action) const {
  const int id = round.id(action);
  const double least = least_.empty() ? 0.0 : least_[as_size(id)];
  return id == control_ ? least + holdout_ : least;
}

double Shares::kept(const Round& round) const {
  double kept = 1.0;
  for (int a = 0; a < round.actions; ++a) kept -= forced(round, a);
  return std::max(kept, 0.0);
}

void Shares::rooms(const Round& round, std::span<double> out) const {
  const double needed = kept(round);
  double found = 0.0;
  for (int a = 0; a < round.actions; ++a) {
    const double most = most_.empty() ? 1.0 : most_[as_size(round.id(a))];
    out[as_size(a)] = std::max(most - forced(round, a), 0.0);
    found += out[as_size(a)];
  }
  if (found >= needed) return;
  for (double& room : out) room = found > 0.0 ? room * needed / found : needed / round.actions;
}

void Shares::mix(const Round& round, const Explorer& explorer, double gamma, std::span<double> work,
                 Decision& decision) const {
  const std::span<double> p = decision.probabilities();
  const double kept = this->kept(round);
  if (capped()) {
    const std::span<double> rooms = work.first(p.size());
    this->rooms(round, rooms);
    fill_rooms(explorer, decision.scores(), gamma, kept, rooms, work.subspan(p.size()), p);
  } else {
    for (double& x : p) x *= kept;
  }
  for (int a = 0; a < round.actions; ++a) p[as_size(a)] += forced(round, a);
}

// The first part of [0, 1) is the holdout's, the rest is shared by what the actions have besides.
void Shares::draw(const Round& round, double u, Decision& decision) const {
  const std::span<double> p = decision.probabilities();
  const int control = control_in(round);
  if (control < 0) {
    decision.holdout = holdout_ > 0.0 ? Holdout::kBarred : Holdout::kNone;
    decision.action = rein::draw(p, u);
    return;
  }
  decision.holdout = u < holdout_ ? Holdout::kInside : Holdout::kOutside;
  decision.action = control;
  if (decision.holdout == Holdout::kInside) return;
  const double whole = p[as_size(control)];
  p[as_size(control)] = std::max(whole - holdout_, 0.0);
  decision.action = rein::draw(p, u - holdout_);
  p[as_size(control)] = whole;
}

void fill_rooms(const Explorer& explorer, std::span<const double> scores, double gamma, double kept,
                std::span<const double> rooms, std::span<double> work, std::span<double> p) {
  const std::span<double> others = work.first(p.size());  // scores of actions with room left
  const std::span<double> filled = work.subspan(p.size(), p.size());
  std::ranges::copy(scores, others.begin());
  std::ranges::fill(filled, 0.0);
  double left = kept;
  for (int pass = 0; pass < kPasses && left > 0.0; ++pass) {
    if (pass > 0) explorer.explore(others, gamma, p);
    double cut = 0.0;
    for (std::size_t a = 0; a < p.size(); ++a) {
      const double wanted = filled[a] + left * p[a];
      filled[a] = std::min(wanted, rooms[a]);
      cut += wanted - filled[a];
      if (wanted >= rooms[a]) others[a] = 2.0 * kBarredScore;  // below what other rules bar
    }
    left = cut;
    if (left < kRounding) break;
  }
  if (left > 0.0) {  // an explorer that tries everything always gives some to full actions
    double room = 0.0;
    for (std::size_t a = 0; a < p.size(); ++a) room += rooms[a] - filled[a];
    for (std::size_t a = 0; a < p.size() && room > 0.0; ++a) {
      filled[a] += left * (rooms[a] - filled[a]) / room;
    }
  }
  std::ranges::copy(filled, p.begin());
}

}  // namespace rein
