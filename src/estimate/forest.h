// forest: a base oracle, plus the mean of several online regression trees on its residual (tree.h
// has the update). All heads share the splits. For means that are far from linear. Memory is fixed
// at construction. base=none uses the trees alone.
//
// Choice of trees. Hoeffding trees choose splits by the loss they save, which finds the few
// features that matter among many. Their guarantee needs independent rounds. Mondrian trees split
// at random without looking at outcomes. They are exact in any order, but waste nodes on features
// that do not matter. We split as Hoeffding trees do and predict as Mondrian trees do: by
// exponential weights over all prunings, which holds for any sequence and any splits. A tree that
// has used up its nodes keeps its splits and continues to learn.
//
// With base b and the mean f of the trees' predictions, every set of parameters and head has its
// own share s, 1/2 at first:
//
//     prediction = s b + (1 - s) f,    s <- s e_b / (s e_b + (1 - s) e_f),
//     e_b = exp(-(b - y)^2 / (2 W^2)), e_f likewise,    W the width of the range
//
// U. These are exponential weights over two experts, with the largest rate for which the square
// loss is exp-concave. For any outcomes the loss exceeds that of the base by at most 2 W^2 ln 2 per
// set. bound() is the base's bound with this added, so it is a certificate if the base has one. The
// trees have none: means that no tree can represent leave an unknown error. Without a base, bound()
// is that of the best pruning with the best constants, N nodes in all, if eta <= 1,
//
//     N W^2 (2 ln 2 / eta + 1 + 16 + ln(1 + T / N)),     N <= sets + 2 T / wait, sets x nodes,
//
// and never more than W^2 T. regret() is the larger of two observed numbers: against the base's
// class, and against the best prunings, averaged over the trees. The first is certified. The second
// estimates the cost of means outside that class.
//
// Widths: 1 / (count + 1) of the leaf, the width that vaw has if phi indicates the leaf. With width
// w of the base it is 1 - (1 - w)(1 - 1 / (count + 1)). A leaf starts at a count of at least 1. So
// its widths sum to at most ln(1 + rounds in it), and those of N leaves to N ln(1 + T / N).
#pragma once

#include <vector>

#include "base/size.h"
#include "estimate/abilities.h"
#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "estimate/tree.h"
#include "rein/oracle.h"

namespace rein {

class Forest final : public Oracle, public OracleAbilities {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape, const Own& own);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override;
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  WidthSum width_sum(std::int64_t rounds) const override;
  int dimension() const override { return base_ ? std::max(1, base_->dimension()) : 1; }
  const OracleAbilities& abilities() const override { return *this; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  struct Keys {
    int trees;
    double eta;  // 1: exp-concave; trees alone have no proof above 1
    std::uint64_t seed;
  };
  Forest(const FeatureMap& map, const Shape& shape, const TreeOptions& options, const Keys& keys,
         std::unique_ptr<Oracle> base);

  static TreeOptions options_of(SpecReader& read, const Shape& shape, double eta);
  std::vector<Known> known() const;  // sizes that saved trees must match
  void weigh(int head, double base, double trees, double y, double& trust);
  void widen(Estimates& estimates) const;
  // The base's prediction for one action, in units.
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
  bool in_parts_ = false;          // an outcome has come in part (tree.h)
  std::vector<Tree> trees_;        // sets x trees
  std::vector<double> trust_;      // sets x heads: the share of the base
  std::vector<double> over_base_;  // our loss minus the loss of the base, in units, one per head
  std::vector<double> over_best_;  // loss of the trees minus their best prunings, the mean
  Scratch base_scratch_;           // for learn()
  Estimates base_estimates_;
};

}  // namespace rein
