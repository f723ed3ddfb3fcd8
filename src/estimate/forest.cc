#include "estimate/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/allowance.h"
#include "base/math.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr int kMaxTrees = 1024;
constexpr int kMaxNodes = 1 << 20;
constexpr int kMaxTests = 1024;
constexpr int kMaxWait = 1 << 20;
constexpr int kMostForVaw = 256;      // features
constexpr double kLeastWidth = 1e-6;  // a range may be a single point
constexpr double kLeastTrust = 1e-9;

// The default base: linear in the same features, first-order if there are very many.
Spec usual_base(const Spec& forest, const FeatureMap& map) {
  Spec base(map.size() <= kMostForVaw ? "vaw" : "adagrad");
  base.set("bias", {.is = map.bias() ? 1.0 : 0.0});
  const char* kind = map.kind() == FeatureMap::Kind::kPerAction ? "per_action"
                     : map.kind() == FeatureMap::Kind::kProduct ? "product"
                                                                : "joint";
  base.set("features", {.is = Spec(kind)});
  if (const SpecValue* norm = forest.find("norm")) base.set("norm", *norm);
  return base;
}

// A round with only one action of the given round.
Round only(const Round& round, int action, int features, const std::int32_t& id) {
  Round one{.actions = 1, .context = round.context, .ids = {&id, 1}};
  if (!round.features.empty()) {
    one.features = round.features.subspan(as_size(action) * as_size(features), as_size(features));
  } else if (!round.sparse.begin.empty()) {
    one.sparse = round.sparse;
    one.sparse.begin = round.sparse.begin.subspan(as_size(action), 2);
  }
  return one;
}

}  // namespace

TreeOptions Forest::options_of(SpecReader& read, const Shape& shape, double eta) {
  const Heads heads(shape);
  TreeOptions options;
  options.nodes = static_cast<int>(read.integer("nodes", 255, 1, kMaxNodes));
  options.depth = static_cast<int>(read.integer("depth", 16, 0, kMaxTreeDepth));
  options.tests = static_cast<int>(read.integer("tests", 12, 1, kMaxTests));
  options.wait = static_cast<int>(read.integer("wait", 24, 8, kMaxWait));
  options.evidence = read.number("evidence", 12.0, {.above = 0.0, .high = 1e12});
  for (int h = 0; h < heads.size(); ++h) {
    const double width = std::max(heads.width(h), kLeastWidth);
    options.eta.push_back(eta / (2.0 * width * width));
    options.low.push_back(heads.clip_units(h, -1.0));
    options.high.push_back(heads.clip_units(h, 1.0));
  }
  return options;
}

Result<std::unique_ptr<Oracle>> Forest::make(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "oracle spec");
  const FeatureMap map(read, shape, "joint");
  Keys keys;
  keys.eta = read.number("eta", 4.0, {.above = 0.0, .high = 1000.0});
  const TreeOptions options = options_of(read, shape, keys.eta);
  keys.trees = static_cast<int>(read.integer("trees", 16, 1, kMaxTrees));
  keys.seed = static_cast<std::uint64_t>(read.integer("seed", 1, 0, kMaxHorizon));
  Spec base = read.spec("base", "vaw");
  if (!read.has("base")) base = usual_base(spec, map);
  const std::size_t sets = as_size(map.parameter_sets()) * as_size(keys.trees);
  const std::size_t doubles = sets * Tree::doubles(options);
  // A saved tree holds its nodes so far, at least one.
  if (doubles > kMaxDoubles || sets > Allowance::doubles()) {
    read.refuse(
        fmt::format("{} trees of {} nodes with {} tests per leaf need {} numbers; forest takes at "
                    "most {}; accepted: fewer trees, nodes or tests",
                    sets, options.nodes, options.tests, doubles, kMaxDoubles));
  }
  if (auto done = read.finish(); !done) return done.failure();
  std::unique_ptr<Oracle> made;
  if (base.name != "none") {
    auto oracle = make_oracle(base, shape, own);
    if (!oracle) return oracle.failure();
    made = std::move(oracle).value();
  }
  return std::unique_ptr<Oracle>(new Forest(map, shape, options, keys, std::move(made)));
}

Forest::Forest(const FeatureMap& map, const Shape& shape, const TreeOptions& options,
               const Keys& keys, std::unique_ptr<Oracle> base)
    : map_(map),
      heads_(shape),
      actions_(shape.actions),
      options_(options),
      keys_(keys),
      base_(std::move(base)),
      trust_(as_size(map.parameter_sets()) * as_size(heads_.size()), base_ ? 0.5 : 0.0),
      over_base_(as_size(heads_.size())),
      over_best_(as_size(heads_.size())) {
  const int inputs = map_.size() - (map_.bias() ? 1 : 0);
  const std::size_t all = as_size(map_.parameter_sets()) * as_size(keys.trees);
  trees_.reserve(all);
  for (std::size_t i = 0; i < all; ++i) trees_.emplace_back(options_, inputs, keys.seed, i);
  if (base_) base_scratch_.reset(base_->scratch());
  base_estimates_.prepare(heads_.size(), 1);
}

std::size_t Forest::scratch() const {
  const std::size_t rows = as_size(in_parts_ ? 3 : 2);
  return (base_ ? base_->scratch() : 0) + rows * as_size(actions_) * as_size(heads_.size());
}

void Forest::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const int heads = heads_.size();
  const std::size_t size = as_size(round.actions) * as_size(heads);
  const std::span<double> base = scratch.take(size), sums = scratch.take(size);
  const std::span<double> wide = scratch.take(in_parts_ ? size : 0);
  std::fill(wide.begin(), wide.end(), 0.0);
  std::fill(base.begin(), base.end(), 0.0);
  std::fill(sums.begin(), sums.end(), 0.0);
  if (base_) {
    base_->predict(round, scratch, estimates);
    for (int h = 0; h < heads; ++h) {
      const std::span<const double> mean = estimates.mean(h);
      for (int a = 0; a < round.actions; ++a) {
        base[as_size(a * heads + h)] = heads_.to_units(h, mean[a]);
      }
    }
  } else {
    estimates.set_apart(false);
    std::ranges::fill(estimates.width(), 0.0);
  }
  widen(estimates);
  const std::span<double> width = estimates.width();
  const double share = 1.0 / keys_.trees;
  for (int a = 0; a < round.actions; ++a) {
    const TreeInput x{map_, round, a};
    const std::size_t at = as_size(a * heads);
    const Tree* trees = trees_.data() + first_tree(round, a);
    double leaves = 0.0;
    for (int t = 0; t < keys_.trees; ++t) {
      leaves += trees[t].add_prediction(x, base.data() + at, sums.data() + at,
                                        in_parts_ ? wide.data() + at : nullptr);
    }
    if (!in_parts_) width[a] = 1.0 - (1.0 - width[a]) * (1.0 - share * leaves);
    for (int h = 0; in_parts_ && h < heads; ++h) {
      double& of_head = estimates.width(h)[a];
      of_head = 1.0 - (1.0 - of_head) * (1.0 - share * wide[at + as_size(h)]);
    }
    const double* trust = trust_.data() + trust_at(round, a);
    for (int h = 0; h < heads; ++h) {
      const double of_trees = share * sums[at + as_size(h)];
      const double mixed = of_trees + trust[h] * (base[at + as_size(h)] - of_trees);
      estimates.mean(h)[a] = heads_.from_units(h, mixed);
    }
  }
}

// The widths of the base, one per head where outcomes come in parts.
void Forest::widen(Estimates& estimates) const {
  const bool apart = base_ && estimates.apart();
  if (apart == in_parts_) return;
  estimates.set_apart(in_parts_);
  for (int h = 1; in_parts_ && h < heads_.size(); ++h) {
    std::ranges::copy(estimates.width(0), estimates.width(h).begin());
  }
}

void Forest::ask_base(const Round& round, int action, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  if (!base_) return;
  const std::int32_t id = round.id(action);
  base_scratch_.reset(base_->scratch());
  base_->predict(only(round, action, map_.features(), id), base_scratch_, base_estimates_);
  for (int h = 0; h < heads_.size(); ++h) {
    out[as_size(h)] = heads_.to_units(h, base_estimates_.mean(h)[0]);
  }
}

void Forest::learn(const Round& round, int action, std::span<const double> outcomes) {
  const TreeInput x{map_, round, action};
  HeadValues y, base, sum;
  if (!in_parts_ && std::ranges::any_of(outcomes, [](double o) { return std::isnan(o); })) {
    for (Tree& tree : trees_) tree.allow_parts();
    in_parts_ = true;
  }
  ask_base(round, action, base.of(heads_));
  for (int h = 0; h < heads_.size(); ++h) {
    y[h] = heads_.to_units(h, outcomes[h]);
    sum[h] = 0.0;
  }
  const double* told = base.of(heads_).data();
  Tree* trees = trees_.data() + first_tree(round, action);
  const double share = 1.0 / keys_.trees;
  for (int t = 0; t < keys_.trees; ++t) {
    HeadValues guess;
    std::fill(guess.of(heads_).begin(), guess.of(heads_).end(), 0.0);
    trees[t].add_prediction(x, told, guess.of(heads_).data());
    for (int h = 0; h < heads_.size(); ++h) {
      if (std::isnan(y[h])) continue;
      const double miss = guess[h] - y[h];
      over_best_[h] += share * (miss * miss + trees[t].best_loss(h));
      sum[h] += guess[h];
    }
    trees[t].learn(x, told, y.of(heads_));
    for (int h = 0; h < heads_.size(); ++h) {
      if (!std::isnan(y[h])) over_best_[h] -= share * trees[t].best_loss(h);
    }
  }
  if (!base_) return;
  double* trust = trust_.data() + trust_at(round, action);
  for (int h = 0; h < heads_.size(); ++h) {
    if (!std::isnan(y[h])) weigh(h, base[h], share * sum[h], y[h], trust[h]);
  }
  base_->learn(round, action, outcomes);
}

// One step of exponential weights over the base and the trees.
void Forest::weigh(int head, double base, double trees, double y, double& trust) {
  const double mixed = heads_.clip_units(head, trees + trust * (base - trees));
  over_base_[head] += (mixed - y) * (mixed - y) - (base - y) * (base - y);
  const double width = std::max(heads_.width(head), kLeastWidth);
  const double more = ((trees - y) * (trees - y) - (base - y) * (base - y)) / (2.0 * width * width);
  // Kept away from 0 and 1, so that either side can recover.
  trust = std::clamp(trust / (trust + (1.0 - trust) * exp(-more)), kLeastTrust, 1.0 - kLeastTrust);
}

double Forest::bound(std::int64_t rounds) const {
  const double t = static_cast<double>(rounds), sets = map_.parameter_sets();
  double width = 0.0;
  for (int h = 0; h < heads_.size(); ++h) width = std::max(width, heads_.width(h));
  const double most = width * width * t;
  if (base_) {
    return std::min(most, base_->bound(rounds) + sets * width * width * 2.0 * log(2.0));
  }
  if (keys_.eta > 1.0 || rounds == 0) return most;  // no bound is proved
  const double grown = std::min(sets, t) + 2.0 * std::floor(t / options_.wait);
  const double nodes = std::min(grown, sets * options_.nodes);
  const double a_node = 2.0 * log(2.0) / keys_.eta + kStrength + kCarry + log(1.0 + t / nodes);
  return std::min(most, width * width * nodes * a_node);
}

// Every node of a tree may have been a leaf for a while. A leaf has width at most 1 / 2, so with
// width w of the base the total is at most 2 (1 + w) - 1.
WidthSum Forest::width_sum(std::int64_t rounds) const {
  const WidthSum base = base_ ? rein::width_sum(*base_, rounds) : WidthSum();
  const double leaves = static_cast<double>(map_.parameter_sets()) * options_.nodes;
  const double t = static_cast<double>(rounds);
  return {.sum = base.sum + leaves * log(1.0 + t / leaves), .largest = 1.0 + 2.0 * base.largest};
}

double Forest::regret() const {
  const double of_base = base_ ? base_->regret() : 0.0;
  if (std::isnan(of_base)) return of_base;
  double worst = 0.0;
  for (int h = 0; h < heads_.size(); ++h) {
    worst = std::max(worst, over_best_[h]);
    if (base_) worst = std::max(worst, of_base + over_base_[h]);
  }
  return worst;
}

std::vector<Known> Forest::known() const {
  const auto shared = heads_.known(map_.size(), map_.parameter_sets());
  std::vector<Known> all(shared.begin(), shared.end());
  all.insert(all.end(), {{"trees", keys_.trees},
                         {"nodes", options_.nodes},
                         {"depth", options_.depth},
                         {"tests", options_.tests}});
  return all;
}

void Forest::save(ByteWriter& out) const {
  out.state("forest", known(), trust_, over_base_, over_best_);
  out.i64(in_parts_ ? 1 : 0);
  for (const Tree& tree : trees_) tree.save(out);
  if (base_) base_->save(out);
}

Result<> Forest::load(ByteReader& in) {
  if (auto read = in.state("forest", known(), trust_, over_base_, over_best_); !read) return read;
  in_parts_ = in.between("outcomes in parts", 0, 1) != 0;
  for (Tree& tree : trees_) {
    if (!in.ok()) break;
    tree.load(in, in_parts_);
  }
  return base_ && in.ok() ? base_->load(in) : in.status();
}

}  // namespace rein
