#include "estimate/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/math.h"

namespace rein {
namespace {

constexpr std::size_t kMaxDoubles = std::size_t{1} << 31;
constexpr int kMaxTrees = 1024;
constexpr int kMaxNodes = 1 << 20;
constexpr int kMaxTests = 1024;
constexpr int kMaxWait = 1 << 20;

std::size_t as_size(int n) { return static_cast<std::size_t>(n); }

}  // namespace

TreeOptions Forest::options_of(SpecReader& read, const Shape& shape, double eta) {
  const Heads heads(shape);
  TreeOptions options;
  options.nodes = static_cast<int>(read.integer("nodes", 511, 1, kMaxNodes));
  options.depth = static_cast<int>(read.integer("depth", 16, 0, kMaxTreeDepth));
  options.tests = static_cast<int>(read.integer("tests", 12, 1, kMaxTests));
  options.wait = static_cast<int>(read.integer("wait", 24, 8, kMaxWait));
  options.evidence = read.number("evidence", 12.0, {.above = 0.0, .high = 1e12});
  for (int h = 0; h < heads.size(); ++h) {
    const double width = std::max(heads.width(h), 1e-6);  // a range may be a point
    options.eta.push_back(eta / (2.0 * width * width));
    options.start.push_back(heads.clip_units(h, 0.0));
  }
  return options;
}

Result<std::unique_ptr<Oracle>> Forest::make(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "oracle spec");
  const FeatureMap map(read, shape, "joint");
  const double eta = read.number("eta", 1.0, {.above = 0.0, .high = 1000.0});
  const TreeOptions options = options_of(read, shape, eta);
  const int trees = static_cast<int>(read.integer("trees", 16, 1, kMaxTrees));
  const std::int64_t seed = read.integer("seed", 1, 0, kMaxHorizon);
  const std::size_t sets = as_size(map.parameter_sets()) * as_size(trees);
  const std::size_t doubles = sets * Tree::doubles(options);
  if (doubles > kMaxDoubles) {
    read.refuse(
        fmt::format("{} trees of {} nodes with {} tests a leaf need {} numbers; forest takes at "
                    "most {}; accepted: fewer trees, nodes or tests",
                    sets, options.nodes, options.tests, doubles, kMaxDoubles));
  }
  if (auto done = read.finish(); !done) return Error{done.error()};
  return std::unique_ptr<Oracle>(
      new Forest(map, shape, options, trees, eta, static_cast<std::uint64_t>(seed)));
}

Forest::Forest(const FeatureMap& map, const Shape& shape, const TreeOptions& options, int trees,
               double eta, std::uint64_t seed)
    : map_(map),
      heads_(shape),
      options_(options),
      count_(trees),
      eta_(eta),
      regrets_(as_size(heads_.size())) {
  const int inputs = map_.size() - (map_.bias() ? 1 : 0);
  const std::size_t all = as_size(map_.parameter_sets()) * as_size(count_);
  trees_.reserve(all);
  for (std::size_t i = 0; i < all; ++i) trees_.emplace_back(options_, inputs, seed, i);
}

void Forest::predict(const Round& round, Scratch&, Estimates& estimates) const {
  for (int h = 0; h < heads_.size(); ++h) {
    std::fill(estimates.mean(h).begin(), estimates.mean(h).end(), 0.0);
  }
  const std::span<double> width = estimates.width();
  std::fill(width.begin(), width.end(), 0.0);
  const std::size_t stride =
      heads_.size() > 1 ? as_size(static_cast<int>(&estimates.mean(1)[0] - &estimates.mean(0)[0]))
                        : 0;
  for (int t = 0; t < count_; ++t) {  // a tree is used for all actions while it is at hand
    for (int a = 0; a < round.actions; ++a) {
      const TreeInput x{map_, round, a};
      width[a] += trees_of(round, a)[t].add_prediction(x, &estimates.mean(0)[a], stride);
    }
  }
  const double trees = count_;
  for (int h = 0; h < heads_.size(); ++h) {
    for (double& mean : estimates.mean(h)) mean = heads_.from_units(h, mean / trees);
  }
  for (double& w : width) w /= trees;
}

void Forest::learn(const Round& round, int action, std::span<const double> outcomes) {
  const TreeInput x{map_, round, action};
  HeadValues y, guess;
  for (int h = 0; h < heads_.size(); ++h) y[h] = heads_.to_units(h, outcomes[h]);
  Tree* trees = trees_.data() + (trees_of(round, action) - trees_.data());
  const double share = 1.0 / count_;
  for (int t = 0; t < count_; ++t) {
    std::fill(guess.of(heads_).begin(), guess.of(heads_).end(), 0.0);
    trees[t].add_prediction(x, guess.of(heads_).data(), 1);
    for (int h = 0; h < heads_.size(); ++h) {
      const double miss = guess[h] - y[h];
      regrets_[h] += share * (miss * miss + trees[t].best_loss(h));
    }
    trees[t].learn(x, y.of(heads_));
    for (int h = 0; h < heads_.size(); ++h) regrets_[h] -= share * trees[t].best_loss(h);
  }
}

double Forest::bound(std::int64_t rounds) const {
  const double t = static_cast<double>(rounds), sets = map_.parameter_sets();
  double width = 0.0;
  for (int h = 0; h < heads_.size(); ++h) width = std::max(width, heads_.width(h));
  const double most = width * width * t;
  if (eta_ > 1.0 || rounds == 0) return most;  // nothing is proved
  const double grown = std::min(sets, t) + 2.0 * std::floor(t / options_.wait);
  const double nodes = std::min(grown, sets * options_.nodes);
  const double a_node = 2.0 * log(2.0) / eta_ + kStrength + kCarry + log(1.0 + t / nodes);
  return std::min(most, width * width * nodes * a_node);
}

double Forest::regret() const {
  double worst = 0.0;
  for (double regret : regrets_) worst = std::max(worst, regret);
  return worst;
}

void Forest::save(ByteWriter& out) const {
  out.tag("forest");
  for (int size : {map_.size(), map_.parameter_sets(), heads_.size(), count_, options_.nodes,
                   options_.depth, options_.tests}) {
    out.i64(size);
  }
  out.f64s(regrets_);
  for (const Tree& tree : trees_) tree.save(out);
}

Result<> Forest::load(ByteReader& in) {
  in.tag("forest");
  in.expect("features", in.i64(), map_.size());
  in.expect("parameter sets", in.i64(), map_.parameter_sets());
  in.expect("heads", in.i64(), heads_.size());
  in.expect("trees", in.i64(), count_);
  in.expect("nodes", in.i64(), options_.nodes);
  in.expect("depth", in.i64(), options_.depth);
  in.expect("tests", in.i64(), options_.tests);
  in.f64s(regrets_);
  for (Tree& tree : trees_) {
    if (!in.ok()) break;
    tree.load(in);
  }
  return in.status();
}

}  // namespace rein
