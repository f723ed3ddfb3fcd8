#include "estimate/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "rein/bytes.h"
#include "rein/costs.h"

namespace rein {
namespace {

constexpr int kEvery = 8;           // points between two checks of a leaf's tests
constexpr double kPatience = 12.0;  // times `wait`: points after which a leaf is split anyway
constexpr double kFewest = 4.0;     // smallest number of points on either side of a split
// Shares stay away from 0 and 1, so that either side can recover.
constexpr double kLeastShare = 1e-9;

// exp(-u) for u >= 0, to nine digits: a weight needs no more, and most time is spent here. For
// small u the Taylor polynomial of exp(-u / 16), raised to the power 16.
double likelihood_of(double u) {
  if (u > 2.0) return exp(-u);
  const double q = u * -0.0625;
  double p = q * (1.0 / 720.0) + 1.0 / 120.0;
  p = p * q + 1.0 / 24.0;
  p = p * q + 1.0 / 6.0;
  p = p * q + 0.5;
  p = p * q + 1.0;
  p = p * q + 1.0;
  p *= p;
  p *= p;
  p *= p;
  return p * p;
}

}  // namespace

Tree::Tree(const TreeOptions& options, int inputs, std::uint64_t seed, std::uint64_t stream)
    : options_(options),
      heads_(static_cast<int>(options.eta.size())),
      inputs_(inputs),
      rng_(seed, stream),
      nodes_(as_size(options.nodes)),
      guesses_(at(options.nodes)),
      accounts_(guesses_.size()),
      seen_(as_size((options.nodes + 1) / 2)),
      tests_(seen_.size() * as_size(options.tests)),
      sums_(tests_.size() * 2 * as_size(heads())) {
  make_leaf(0, 0, 0);
}

std::size_t Tree::doubles(const TreeOptions& options) {
  const std::size_t nodes = as_size(options.nodes), heads = options.eta.size();
  return nodes * (4 + 5 * heads) + (nodes + 1) / 2 * (1 + as_size(options.tests) * (4 + 2 * heads));
}

void Tree::allow_parts() {
  if (!lacks_.empty()) return;
  Zeroed<double> lacks(guesses_.size());
  test_lacks_ = Zeroed<double>(sums_.size());
  lacks_ = std::move(lacks);
}

void Tree::make_leaf(int node, int slot, int depth) {
  nodes_[as_size(node)] = {.count = kStrength, .slot = slot, .depth = depth};
  for (std::size_t i = at(node); i < at(node + 1); ++i) {
    guesses_[i] = {};
    accounts_[i] = {};
    if (!lacks_.empty()) lacks_[i] = 0.0;
  }
  seen_[as_size(slot)] = 0.0;
  for (std::size_t i = test_at(slot); i < test_at(slot + 1); ++i) tests_[i] = {};
}

double Tree::add_prediction(const TreeInput& x, const double* base, double* sums,
                            double* widths) const {
  double rest[1 + kMaxCosts];
  const int heads = heads_;
  const double* low = options_.low.data();
  const double* high = options_.high.data();
  std::fill_n(rest, heads, 1.0);
  const Node* node = nodes_.data();
  const Guess* guess = guesses_.data();
  while (true) {
    for (int h = 0; h < heads; ++h) {
      const double weight = rest[h] * guess[h].share;
      sums[h] += weight * std::clamp(base[h] + guess[h].mean, low[h], high[h]);
      rest[h] -= weight;
    }
    if (node->left == 0) break;
    const int child = node->left + (x[node->feature] > node->threshold);
    node = nodes_.data() + child;
    guess = guesses_.data() + at(child);
  }
  if (widths != nullptr) {
    const int leaf = static_cast<int>(node - nodes_.data());
    for (int h = 0; h < heads; ++h) widths[h] += 1.0 / (node->count - lacks(leaf, h) + 1.0);
  }
  return 1.0 / (node->count + 1.0);
}

void Tree::learn(const TreeInput& x, const double* base, std::span<const double> y) {
  int way[kMaxTreeDepth + 1];
  int length = 0, node = 0;
  way[length++] = node;
  while (nodes_[as_size(node)].left != 0) {
    const Node& here = nodes_[as_size(node)];
    node = here.left + (x[here.feature] > here.threshold);
    way[length++] = node;
  }
  double likelihood[1 + kMaxCosts];
  for (int i = length - 1; i >= 0; --i) update_node(way[i], base, y, likelihood);
  if (inputs_ == 0) return;
  double rest[1 + kMaxCosts];
  for (int h = 0; h < heads(); ++h) rest[h] = y[as_size(h)] - base[h];
  watch(node, x, rest);
}

// `likelihood` holds that of the child before the call, and that of this node after it.
void Tree::update_node(int node, const double* base, std::span<const double> y,
                       double* likelihood) {
  Node& here = nodes_[as_size(node)];
  const bool leaf = here.left == 0;
  here.count += 1.0;
  for (int h = 0; h < heads(); ++h) {
    Guess& guess = guesses_[at(node) + as_size(h)];
    Account& account = accounts_[at(node) + as_size(h)];
    if (std::isnan(y[as_size(h)])) {
      lacks_[at(node) + as_size(h)] += 1.0;
      continue;
    }
    const double count = here.count - lacks(node, h);
    const double miss = y[as_size(h)] - base[h] - guess.mean;
    const double missed = y[as_size(h)] - clip(h, base[h] + guess.mean);
    const double own = likelihood_of(options_.eta[as_size(h)] * missed * missed);
    if (leaf) {
      likelihood[h] = own;
    } else {
      const double mine = guess.share * own;
      likelihood[h] = mine + (1.0 - guess.share) * likelihood[h];
      guess.share = std::clamp(mine / likelihood[h], kLeastShare, 1.0 - kLeastShare);
    }
    guess.mean += miss / count;
    // The loss of the best constant, regularised to the node's start, grows by this.
    account.own += miss * miss * (1.0 - 1.0 / count);
    account.pruned = account.own;
    if (!leaf) {
      const double below = accounts_[at(here.left) + as_size(h)].pruned +
                           accounts_[at(here.left + 1) + as_size(h)].pruned;
      account.pruned = std::min(account.own, account.before + below);
    }
  }
}

void Tree::watch(int leaf, const TreeInput& x, const double* rest) {
  const int slot = nodes_[as_size(leaf)].slot;
  bool drawn = false;
  for (std::size_t i = test_at(slot); i < test_at(slot + 1); ++i) {
    Test& test = tests_[i];
    if (test.feature < 0) {
      if (drawn) break;  // one per point, so that thresholds come from different points
      draw_test(i, x);
      drawn = true;
    }
    const int side = x[test.feature] > test.threshold;
    test.count[side] += 1.0;
    double* sum = sums(i) + side * heads();
    for (int h = 0; h < heads(); ++h) {
      if (std::isnan(rest[h])) {
        test_lacks_[static_cast<std::size_t>(sum - sums_.data()) + as_size(h)] += 1.0;
      } else {
        sum[h] += rest[h];
      }
    }
  }
  seen_[as_size(slot)] += 1.0;
  const auto points = static_cast<std::int64_t>(seen_[as_size(slot)]);
  if (points % kEvery == 0 && points >= options_.wait) consider(leaf, x);
}

// The value of this point becomes the threshold, and belongs to either side with equal probability.
// For a feature that is 0 or 1, half of the tests then separate the two values.
void Tree::draw_test(std::size_t test, const TreeInput& x) {
  const int feature = static_cast<int>(rng_.below(inputs_));
  const double value = x[feature];
  const double below = std::nextafter(value, -std::numeric_limits<double>::infinity());
  tests_[test] = {.threshold = rng_.uniform() < 0.5 ? value : below, .feature = feature};
  std::fill_n(sums(test), 2 * heads(), 0.0);
  if (!test_lacks_.empty()) {
    std::fill_n(test_lacks_.data() + test * 2 * as_size(heads()), 2 * heads(), 0.0);
  }
}

double Tree::evidence(std::size_t test, int leaf) {
  const Test& made = tests_[test];
  const double* sum = sums(test);
  double most = 0.0;
  for (int h = 0; h < heads(); ++h) {
    const double left = made.count[0] - test_lacks(test, 0, h);
    const double right = made.count[1] - test_lacks(test, 1, h);
    if (left < kFewest || right < kFewest) continue;
    const double seen = seen_[as_size(nodes_[as_size(leaf)].slot)] - lacks(leaf, h);
    const double apart = sum[h] / left - sum[heads() + h] / right;
    const double gain = left * right / (left + right) * apart * apart;
    const double variance = accounts_[at(leaf) + as_size(h)].own / seen;
    const double within = std::max(variance - gain / (left + right), 0.01 * variance + 1e-12);
    most = std::max(most, gain / within);
  }
  return most;
}

void Tree::consider(int leaf, const TreeInput& x) {
  const Node& node = nodes_[as_size(leaf)];
  std::size_t best = test_at(node.slot), worst = best;
  double most = -1.0, least = std::numeric_limits<double>::infinity();
  for (std::size_t i = test_at(node.slot); i < test_at(node.slot + 1); ++i) {
    if (tests_[i].feature < 0) break;
    const double found = evidence(i, leaf);
    if (found > most) {
      most = found;
      best = i;
    }
    if (found < least && tests_[i].count[0] + tests_[i].count[1] >= options_.wait) {
      least = found;
      worst = i;
    }
  }
  const double seen = seen_[as_size(node.slot)];
  const bool enough =
      most >= options_.evidence || (seen >= kPatience * options_.wait && most > 0.0);
  if (enough && node.depth < options_.depth && used_ + 2 <= options_.nodes) {
    split(leaf, best);
  } else if (least < most) {
    draw_test(worst, x);
  }
}

void Tree::split(int leaf, std::size_t test) {
  Node& node = nodes_[as_size(leaf)];
  const Test made = tests_[test];
  double side[2][1 + kMaxCosts], points[2][1 + kMaxCosts];
  for (int s = 0; s < 2; ++s) {
    std::copy_n(sums(test) + s * heads(), heads(), side[s]);
    for (int h = 0; h < heads(); ++h) points[s][h] = made.count[s] - test_lacks(test, s, h);
  }
  node.feature = made.feature;
  node.threshold = made.threshold;
  node.left = used_;
  used_ += 2;
  make_leaf(node.left, node.slot, node.depth + 1);
  make_leaf(node.left + 1, slots_++, node.depth + 1);
  for (int h = 0; h < heads(); ++h) {
    Guess& parent = guesses_[at(leaf) + as_size(h)];
    Account& account = accounts_[at(leaf) + as_size(h)];
    for (int s = 0; s < 2; ++s) {
      const double told = std::min(points[s][h], kCarry);
      const double most = std::min(made.count[s], kCarry);
      const double mean = told > 0.0 ? side[s][h] / points[s][h] : 0.0;
      const std::size_t child = at(node.left + s) + as_size(h);
      guesses_[child].mean = (kStrength * parent.mean + told * mean) / (kStrength + told);
      nodes_[as_size(node.left + s)].count = kStrength + most;
      if (!lacks_.empty()) lacks_[child] = most - told;
    }
    parent.share = 0.5;
    account.before = account.own;
  }
}

void Tree::save(ByteWriter& out) const {
  out.i64(used_);
  out.u64(rng_.counter());
  for (int v = 0; v < used_; ++v) {
    const Node& node = nodes_[as_size(v)];
    out.f64(node.threshold);
    out.f64(node.count);
    for (std::int32_t value : {node.feature, node.left, node.slot, node.depth}) out.i64(value);
    for (std::size_t i = at(v); i < at(v + 1); ++i) {
      const Guess& guess = guesses_[i];
      const Account& account = accounts_[i];
      out.parts(guess.mean, guess.share, account.own, account.before, account.pruned);
    }
  }
  for (int slot = 0; slot < slots_; ++slot) {
    out.f64(seen_[as_size(slot)]);
    for (std::size_t i = test_at(slot); i < test_at(slot + 1); ++i) {
      const Test& test = tests_[i];
      out.parts(test.threshold, test.count);
      out.i64(test.feature);
      out.f64s({sums_.data() + i * 2 * as_size(heads()), 2 * as_size(heads())});
    }
  }
  if (lacks_.empty()) return;
  out.f64s({lacks_.data(), at(used_)});
  out.f64s({test_lacks_.data(), test_at(slots_) * 2 * as_size(heads())});
}

// Children come after their parents, so every path down ends, whatever bytes are read.
void Tree::load(ByteReader& in, bool parts) {
  const std::int64_t used = in.i64();
  if (used < 1 || used > options_.nodes || used % 2 == 0) {
    return in.fail("forest: a tree of " + std::to_string(used) + " nodes; accepted: odd, 1 to " +
                   std::to_string(options_.nodes));
  }
  used_ = static_cast<int>(used);
  slots_ = (used_ + 1) / 2;
  rng_.set_counter(in.u64());
  const auto within = [&](std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high) in.fail("forest: a node that does not fit its tree");
    return in.ok() ? static_cast<std::int32_t>(value) : 0;
  };
  const auto counted = [&](double value, double least) {
    if (!(value >= least && value <= 1e16)) in.fail("forest: an invalid count");
    return in.ok() ? value : least;
  };
  for (int v = 0; v < used_ && in.ok(); ++v) {
    Node& node = nodes_[as_size(v)];
    node.threshold = in.f64();
    node.count = counted(in.f64(), kStrength);
    node.feature = within(in.i64(), -1, inputs_ - 1);
    node.left = within(in.i64(), 0, std::max(used_ - 2, 0));
    node.slot = within(in.i64(), 0, slots_ - 1);
    node.depth = within(in.i64(), 0, options_.depth);
    if (node.left != 0 && (node.left <= v || node.feature < 0)) within(1, 0, 0);
    for (std::size_t i = at(v); i < at(v + 1); ++i) {
      Guess& guess = guesses_[i];
      Account& account = accounts_[i];
      in.parts(guess.mean, guess.share, account.own, account.before, account.pruned);
    }
  }
  for (int v = 0; v < used_ && in.ok(); ++v) {
    const Node& node = nodes_[as_size(v)];
    for (int s = 0; s < 2 && node.left != 0; ++s) {
      within(nodes_[as_size(node.left + s)].depth, node.depth + 1, node.depth + 1);
    }
  }
  for (int slot = 0; slot < slots_ && in.ok(); ++slot) {
    seen_[as_size(slot)] = counted(in.f64(), 0.0);
    for (std::size_t i = test_at(slot); i < test_at(slot + 1); ++i) {
      Test& test = tests_[i];
      in.parts(test.threshold, test.count);
      test.feature = within(in.i64(), -1, inputs_ - 1);
      in.f64s({sums(i), 2 * as_size(heads())});
    }
  }
  lacks_ = Zeroed<double>(0);
  test_lacks_ = Zeroed<double>(0);
  if (!parts || !in.ok()) return;
  allow_parts();
  in.f64s({lacks_.data(), at(used_)});
  in.f64s({test_lacks_.data(), test_at(slots_) * 2 * as_size(heads())});
  for (int v = 0; v < used_ && in.ok(); ++v) {
    for (int h = 0; h < heads(); ++h) {
      const double lacked = lacks(v, h);
      if (!(lacked >= 0.0 && lacked <= nodes_[as_size(v)].count - kStrength)) {
        in.fail("forest: an invalid count");
      }
    }
  }
}

}  // namespace rein
