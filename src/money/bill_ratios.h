// BillRatios: what bills are as a multiple of what was foreseen, learned for holds that are a quantile.
//
//     ratio = bill / base        the base is known when the decision is made
//     hold  = base * Q           Q: the k-th largest of the last n ratios of this action, rounded up
//     k     = floor((n + 1) (1 - q))
//
// If the ratios of an action are exchangeable (any order of them is as likely as any other), the next one is
// above the k-th largest of n with probability at most k / (n + 1) <= 1 - q (Vovk, Gammerman, Shafer,
// "Algorithmic Learning in a Random World", 2005: a conformal bound). It needs no distribution and holds for
// every n. With n < 1 / (1 - q) - 1 there is no such k, and nothing is known.
//
// Ratios are counted in bins, 32 per power of two, and a bin stands for its upper end: at most 3.2 % too much,
// never too little. n is the number of ratios in two blocks. When the newer block is full, the older one is
// dropped. So the last kBlocks / (1 - q) to twice as many bills count, whatever they were.
//
// Only comparisons, + - * / of doubles and the bits of a double: a replay gives the same. Part of the state. An
// action here is its place (engine/roster.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "money/micros.h"
#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

class BillRatios {
 public:
  // A block has this many times the bills that the quantile needs.
  static constexpr double kBlocks = 4.0;

  BillRatios() = default;
  // One quantile per cost; 0: nothing is learned of this cost. Empty: of none.
  BillRatios(int actions, std::span<const double> quantiles);

  bool empty() const { return cells_.empty(); }
  // REQUIRES base > 0.
  void add(std::int32_t place, int cost, MicroSum bill, Micro base);
  // What to hold for a decision of this base, at most `largest`; `largest` while too few bills are known.
  Micro hold(std::int32_t place, int cost, Micro base, Micro largest) const;
  // Bills that count now.
  std::int64_t known(std::int32_t place, int cost) const;
  // An action at a new place, and at the place of an action that was removed.
  void grow();
  void forget(std::int32_t place);

  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);

 private:
  struct Bin {
    std::int64_t number = 0;
    std::int64_t count = 0;
  };
  // Ascending bins. At most 2^16 numbers of bins exist.
  struct Block {
    std::int64_t bills = 0;
    std::vector<Bin> bins;
  };
  struct Cell {
    Block older, newer;
  };
  std::size_t at(std::int32_t place, int cost) const {
    return static_cast<std::size_t>(place) * quantiles_.size() + static_cast<std::size_t>(cost);
  }
  std::int64_t block_of(int cost) const;
  static void save(ByteWriter& out, const Block& block);
  static void load(ByteReader& in, Block& block, std::int64_t most);

  std::vector<double> quantiles_;  // per cost
  std::vector<Cell> cells_;        // per place and cost
};

}  // namespace rein
