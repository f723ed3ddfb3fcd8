// forest: another oracle, the base, and on what it leaves over the mean of several online
// regression trees (tree.h has the update), all heads on the same splits. For means that are far
// from linear; memory is fixed when it is made. base=none leaves the trees alone.
//
// Which trees, and why. Hoeffding trees choose splits by what they save, which finds the few
// features that matter among many; their guarantee is for independent rounds. Mondrian trees split
// at random without looking at outcomes, and are exact in any order, but waste their nodes on
// features that do not matter. We split the first way and predict the second way, by exponential
// weights over all prunings, which holds for any sequence however the splits were chosen. A tree
// that has used up its nodes keeps its splits and goes on learning.
//
// With base b and the mean f of the trees' predictions, every set of parameters and head has a
// share s of its own, 1/2 at first:
//
//     prediction = s b + (1 - s) f,    s <- s e_b / (s e_b + (1 - s) e_f),
//     e_b = exp(-(b - y)^2 / (2 W^2)), e_f likewise,    W the width of the range
//
// U. These are exponential weights over two, with the largest rate for which the square loss is
// exp-concave: whatever comes, the loss exceeds that of the base by at most 2 W^2 ln 2 a set.
// bound() is the base's with this added: a certificate wherever the base has one. What the trees
// add to it has none: means that no tree holds leave an error that nobody knows. Without a base
// bound() is that of the best pruning with the best constants, N nodes in all, where eta <= 1,
//
//     N W^2 (2 ln 2 / eta + 1 + 16 + ln(1 + T / N)),     N <= sets + 2 T / wait, sets x nodes,
//
// and never more than W^2 T. regret() is the larger of the two as observed: against the base's
// class, and against the best prunings, the mean over the trees. The first is certified, the second
// is an estimate of what means outside of that class may cost.
//
// Widths: 1 / (count + 1) of the leaf, the width that vaw has where phi says which leaf it is; with
// those w of the base, 1 - (1 - w)(1 - 1 / (count + 1)). A leaf starts at a count of at least 1, so
// its widths add up to at most ln(1 + rounds in it), and those of N leaves to N ln(1 + T / N).
#pragma once

#include <vector>

#include "base/size.h"
#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "estimate/tree.h"
#include "estimate/widths.h"
#include "rein/oracle.h"

namespace rein {

class Forest final : public Oracle, public SumsWidths {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override;
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  WidthSum width_sum(std::int64_t rounds) const override;
  int dimension() const override { return base_ ? std::max(1, base_->dimension()) : 1; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  struct Keys {
    int trees;
    double eta;  // 1: exp-concave; trees alone have no proof above
    std::uint64_t seed;
  };
  Forest(const FeatureMap& map, const Shape& shape, const TreeOptions& options, const Keys& keys,
         std::unique_ptr<Oracle> base);

  static TreeOptions options_of(SpecReader& read, const Shape& shape, double eta);
  std::vector<Known> known() const;  // the sizes that saved trees must agree on
  void weigh(int head, double base, double trees, double y, double& trust);
  // What the base says of one action, in units.
  void ask_base(const Round& round, int action, std::span<double> out);
  std::size_t trust_at(const Round& round, int action) const {
    return as_size(map_.set_of(round, action)) * as_size(heads_.size());
  }
  std::size_t first_tree(const Round& round, int action) const {
    return as_size(map_.set_of(round, action)) * as_size(keys_.trees);
  }

  FeatureMap map_;
  Heads heads_;
  int actions_;
  TreeOptions options_;
  Keys keys_;
  std::unique_ptr<Oracle> base_;
  std::vector<Tree> trees_;        // sets x trees
  std::vector<double> trust_;      // sets x heads: the share of the base
  std::vector<double> over_base_;  // our loss less that of the base, in units, one a head
  std::vector<double> over_best_;  // of the trees less their best prunings, the mean of them
  Scratch base_scratch_;           // for learn()
  Estimates base_estimates_;
};

}  // namespace rein
