// Tree: one online regression tree of the oracle forest, with all heads on the same splits.
//
// Growing (Hoeffding style: a leaf splits when its own points justify it). A leaf tracks a few
// random tests "number j of phi > a value that number j has had in this leaf". Each test keeps the
// count and the sums of the outcomes on both sides. With means l and r of a head on the two sides,
//
//     gain     = n_l n_r / (n_l + n_r) (l - r)^2          the loss that the split would have saved
//     evidence = largest over heads of gain / (variance within the sides)
//
// Every few points the best test is checked. The leaf splits there if the evidence is large enough,
// or if the leaf has had very many points (no single test detects an exclusive or). Otherwise a new
// test replaces the worst one. Thresholds are observed values: nothing depends on the scale of a
// feature, and a single extreme number has no effect.
//
// Predicting (context tree weighting). The tree learns the residual of another oracle, the base b.
// Every node keeps its running mean, c = (strength c0 + sum (y - b)) / (strength + n), so its
// prediction is p = b + c, clipped. It also keeps a share for every head: the weight of its own
// prediction against that of the nodes below.
//
//     prediction(node) = share p + (1 - share) prediction(child)
//     likelihood(node) = share exp(-eta (p - y)^2) + (1 - share) likelihood(child)
//     share           <- share exp(-eta (p - y)^2) / likelihood(node)
//
// This is exponential weights over all prunings of the tree (Willems, Shtarkov, Tjalkens 1995;
// Mourtada, Gaiffas, Scornet 2021 for trees). With eta = 1 / (2 W^2), W the width of the range, the
// loss exceeds that of the best pruning by at most 2 W^2 ln 2 per node. This holds for any rounds
// and any splits, since splits are chosen from the past. A new node starts from the statistics of
// its test, worth at most kCarry points. Prunings that contain it are treated as having predicted
// like its parent before. So the loss of the best pruning is also known, node by node: best_loss().
//
// Outcomes in parts. A head whose outcome has not come is left as it is. From the first such point
// on, the tree counts per node, test and head how many points lacked it, and n above is the number
// of points that had it: (nodes + 2 slots x tests) numbers per head more. Where a round comes in
// several parts, each part is a point.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/size.h"
#include "base/zeroed.h"
#include "estimate/feature_map.h"
#include "rein/rng.h"

namespace rein {

class ByteReader;
class ByteWriter;

inline constexpr int kMaxTreeDepth = 64;
inline constexpr double kStrength = 1.0;  // weight of a node's start mean, in points
inline constexpr double kCarry = 16.0;    // largest number of points that a child inherits

struct TreeOptions {
  int nodes;                // largest number of nodes
  int depth;                // largest number of nodes on a path, without the root
  int tests;                // tests that a leaf tracks
  int wait;                 // points before a leaf may be split
  double evidence;          // smallest evidence for a split
  std::vector<double> eta;  // one per head
  std::vector<double> low;  // lower end of the range of a head, in units
  std::vector<double> high;
};

// One action of a round, as input to the trees.
class TreeInput {
 public:
  TreeInput(const FeatureMap& map, const Round& round, int action)
      : map_(map), round_(round), action_(action), plain_(map.plain_row(round, action)) {
    if (map.features() == 0) plain_ = round.context.data();
  }
  double operator[](int j) const { return plain_ ? plain_[j] : map_.at(round_, action_, j); }

 private:
  const FeatureMap& map_;
  const Round& round_;
  int action_;
  const double* plain_;  // phi without its bias, if it is stored in the round
};

class Tree {
 public:
  // `options` must outlive the tree. `inputs` is the count of numbers of phi that may be split on.
  Tree(const TreeOptions& options, int inputs, std::uint64_t seed, std::uint64_t stream);

  // Adds the prediction of every head to sums[h], in units, and returns the width of the leaf.
  // base[h] is the base oracle's prediction, to which the tree adds its own. Adds the widths by head
  // to `widths`, if it is given.
  double add_prediction(const TreeInput& x, const double* base, double* sums,
                        double* widths = nullptr) const;
  // From now on outcomes may come in parts.
  void allow_parts();
  // Learns one point. y and base are in units, one number per head; NaN: the head has not come,
  // which REQUIRES allow_parts().
  void learn(const TreeInput& x, const double* base, std::span<const double> y);
  // The loss of the best pruning of one head so far.
  double best_loss(int head) const { return accounts_[as_size(head)].pruned; }

  int nodes() const { return used_; }
  // The largest count of numbers that a tree with these options keeps.
  static std::size_t doubles(const TreeOptions& options);

  void save(ByteWriter& out) const;
  // `parts`: saved after allow_parts().
  void load(ByteReader& in, bool parts);

 private:
  struct Node {
    double threshold = 0.0;
    double count = 1.0;         // weight of the start mean plus points since
    std::int32_t feature = -1;  // of the split
    std::int32_t left = 0;      // index of the left child; the right child follows it; 0 for a leaf
    std::int32_t slot = 0;      // index of a leaf's tests
    std::int32_t depth = 0;
  };
  struct Guess {  // of one node and head
    double mean = 0.0;
    double share = 1.0;
  };
  struct Account {        // of one node and head: losses in hindsight
    double own = 0.0;     // loss of the best constant over all points since creation
    double before = 0.0;  // the same up to the split
    double pruned = 0.0;  // loss of the best pruning from here down
  };
  struct Test {
    double threshold = 0.0;
    double count[2] = {0.0, 0.0};
    std::int32_t feature = -1;  // -1: not drawn yet
  };

  int heads() const { return heads_; }
  std::size_t at(int node) const { return as_size(node) * as_size(heads()); }
  std::size_t test_at(int slot) const { return as_size(slot) * as_size(options_.tests); }
  double* sums(std::size_t test) { return sums_.data() + test * 2 * as_size(heads()); }
  // Points of a node, or on one side of a test, that lacked a head.
  double lacks(int node, int h) const {
    return lacks_.empty() ? 0.0 : lacks_[at(node) + as_size(h)];
  }
  double test_lacks(std::size_t test, int side, int h) const {
    const std::size_t i = (test * 2 + as_size(side)) * as_size(heads()) + as_size(h);
    return test_lacks_.empty() ? 0.0 : test_lacks_[i];
  }

  double clip(int h, double value) const {
    return std::clamp(value, options_.low[as_size(h)], options_.high[as_size(h)]);
  }
  void update_node(int node, const double* base, std::span<const double> y, double* likelihood);
  void watch(int leaf, const TreeInput& x, const double* rest);
  void draw_test(std::size_t test, const TreeInput& x);
  double evidence(std::size_t test, int leaf);
  void consider(int leaf, const TreeInput& x);
  void split(int leaf, std::size_t test);
  void make_leaf(int node, int slot, int depth);

  const TreeOptions& options_;
  int heads_;
  int inputs_;
  Rng rng_;
  int used_ = 1;
  int slots_ = 1;
  // Memory is taken as the tree grows: a tree that may become large, and is small in a snapshot,
  // does not cost what it might. make_leaf() sets what is not 0 at first.
  Zeroed<Node> nodes_;
  Zeroed<Guess> guesses_;     // nodes x heads
  Zeroed<Account> accounts_;  // nodes x heads
  Zeroed<double> seen_;       // points since a leaf was created, one per slot
  Zeroed<Test> tests_;        // slots x tests
  Zeroed<double> sums_;       // slots x tests x 2 x heads
  // Only where outcomes come in parts; otherwise empty.
  Zeroed<double> lacks_{0};       // nodes x heads
  Zeroed<double> test_lacks_{0};  // slots x tests x 2 x heads
};

}  // namespace rein
