#include "world/subset.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "base/spec_reader.h"
#include "world/noise.h"

namespace rein {
namespace {

class Subset final : public World {
 public:
  Subset(std::unique_ptr<World> of, double share, int always, std::uint64_t seed)
      : of_(std::move(of)), share_(share), always_(always), seed_(seed) {
    const Shape& inner = of_->shape();
    const auto k = as_size(inner.actions);
    offered_.reserve(k);
    ids_.reserve(k);
    features_.resize(k * as_size(inner.features));
    numbers_.resize(k * as_size(inner.heads()));
  }

  const Shape& shape() const override { return of_->shape(); }
  bool adapts() const override { return of_->adapts(); }
  bool iid() const override { return of_->iid(); }
  const Round& next() override;
  void outcome(int action, Outcome& out) const override { of_->outcome(inner(action), out); }
  void means(std::span<double> out) const override {
    of_->means(numbers_);
    pick(shape().heads(), out);
  }
  bool highest(std::span<double> out) const override {
    if (!of_->highest(numbers_)) return false;
    pick(shape().heads() - 1, out);
    return true;
  }
  void observe(int action, const Outcome& outcome) override {
    of_->observe(inner(action), outcome);
  }

 private:
  int inner(int action) const { return offered_[as_size(action)]; }
  // out[row * offered + a] = numbers_[row * all + the a-th offered]
  void pick(int rows, std::span<double> out) const {
    std::size_t to = 0;
    for (int row = 0; row < rows; ++row) {
      for (const int a : offered_) out[to++] = numbers_[as_size(row * all_ + a)];
    }
  }

  std::unique_ptr<World> of_;
  double share_;
  int always_;
  std::uint64_t seed_;
  std::int64_t t_ = -1;
  int all_ = 0;  // actions of the inner round
  std::vector<int> offered_;
  std::vector<std::int32_t> ids_;
  std::vector<double> features_;
  mutable std::vector<double> numbers_;
  Round round_;
};

const Round& Subset::next() {
  const Round& all = of_->next();
  all_ = all.actions;
  Rng rng = world_rng(seed_, Purpose::kOffers, static_cast<std::uint64_t>(++t_));
  offered_.clear();
  ids_.clear();
  for (int a = 0; a < all.actions; ++a) {
    const bool drawn = rng.uniform() < share_;
    if (drawn || all.id(a) == always_) offered_.push_back(a);
  }
  if (offered_.empty()) {  // at least one action must be offered
    offered_.push_back(static_cast<int>(rng.uniform() * all.actions));
  }
  const auto d = as_size(shape().features);
  for (std::size_t i = 0; i < offered_.size(); ++i) {
    const int a = offered_[i];
    ids_.push_back(all.id(a));
    if (all.features.empty()) continue;
    const auto row = all.features.subspan(as_size(a) * d, d);
    std::copy(row.begin(), row.end(), features_.begin() + static_cast<std::ptrdiff_t>(i * d));
  }
  round_ = {.actions = static_cast<int>(offered_.size()), .context = all.context, .ids = ids_};
  if (!all.features.empty()) {
    round_.features = std::span<const double>(features_).first(offered_.size() * d);
  }
  return round_;
}

}  // namespace

Result<std::unique_ptr<World>> make_subset(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds, const Own& own) {
  SpecReader read(spec, "world spec");
  const Spec of = read.spec("of", "linear");
  const double share = read.number("share", 0.6, {.above = 0.0, .high = 1.0});
  const auto always = read.integer("always", -1, -1, kMaxActions - 1);
  if (auto done = read.finish(); !done) return done.failure();
  auto made = make_world(of, seed, rounds, own);
  if (!made) return made;
  if (always >= made.value()->shape().actions) {
    return Error{fmt::format("world spec: key \"always\" has {}; {} has the actions 0 to {}",
                             always, of.str(), made.value()->shape().actions - 1)};
  }
  return std::unique_ptr<World>(
      std::make_unique<Subset>(std::move(made).value(), share, static_cast<int>(always), seed));
}

}  // namespace rein
