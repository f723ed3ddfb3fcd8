// forest: the mean of several online regression trees (tree.h has the update), all heads on the
// same splits. For means that are far from linear; memory is fixed when it is made.
//
// Which trees, and why. Hoeffding trees choose splits by what they save, which finds the few
// features that matter among many; their guarantee is for independent rounds. Mondrian trees split
// at random without looking at outcomes, and are exact in any order, but waste their nodes on
// features that do not matter. We split the first way and predict the second way, by exponential
// weights over all prunings, which holds for any sequence however the splits were chosen. A tree
// that has used up its nodes keeps its splits and goes on learning.
//
// U. There is no certificate of the squared error: means that no tree holds add an error that
// nobody knows. bound() is what can be said of the regret: against the best pruning with the best
// constants of every tree that was grown, with N nodes in all, W the width of the range,
//
//     regret <= N W^2 (2 ln 2 + 1 + 16 + ln(1 + T / N)),    N <= sets + 2 T / wait, sets x nodes,
//
// (the choice of the pruning, the start of a node, its running mean), and never more than W^2 T.
// It holds for every tree, so for their mean by convexity. regret() is that regret as observed, the
// mean over the trees; the forest's own is smaller by how far its trees disagree.
//
// Widths: 1 / (count + 1) of the leaf, the width that vaw has where phi says which leaf it is.
#pragma once

#include <vector>

#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "estimate/tree.h"
#include "rein/oracle.h"

namespace rein {

class Forest final : public Oracle {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return 0; }
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  int dimension() const override { return 1; }  // the leaf
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  Forest(const FeatureMap& map, const Shape& shape, const TreeOptions& options, int trees,
         double eta, std::uint64_t seed);

  // Reads the keys; fills in what comes from the shape.
  static TreeOptions options_of(SpecReader& read, const Shape& shape, double eta);
  const Tree* trees_of(const Round& round, int action) const {
    return trees_.data() +
           static_cast<std::size_t>(map_.set_of(round, action)) * static_cast<std::size_t>(count_);
  }

  FeatureMap map_;
  Heads heads_;
  TreeOptions options_;
  int count_;                    // trees of a set
  double eta_;                   // 1: the largest that the proof allows
  std::vector<Tree> trees_;      // sets x count
  std::vector<double> regrets_;  // of the trees, in units, one a head
};

}  // namespace rein
