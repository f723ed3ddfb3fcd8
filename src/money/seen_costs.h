// SeenCosts: what an action can cost, learned from its costs so far.
//
//     bound = the 0.95 quantile of its last 32 costs: the largest of fewer than 20, otherwise the
//             second largest
//
// For budgets that steer, and for the limit of a request, where no largest cost is declared. About
// one cost in twenty is above the bound, so hard budgets never use it. The bound follows a change
// of prices within 32 plays. Part of the state: 272 bytes per action and cost, for the action ids
// below 65 536. An id here is the place of an action (engine/roster.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

class SeenCosts {
 public:
  static constexpr int kKept = 32;
  // from this many costs on, one cost may lie above the quantile
  static constexpr int kEnough = 20;
  static constexpr int kMostActions = 1 << 16;

  SeenCosts() = default;  // learns nothing
  SeenCosts(int actions, int costs);

  bool empty() const { return bounds_.empty(); }
  void add(std::int32_t id, int cost, double paid);
  // Adds an action at a new place, or at the place of an action that was removed.
  void grow();
  void forget(std::int32_t id);
  // NaN: nothing was seen.
  double bound(std::int32_t id, int cost) const;
  // The bounds of all actions, one row of costs per action id.
  std::span<const double> bounds() const { return bounds_; }

  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);

 private:
  struct Cell {
    std::int64_t count = 0;
    std::array<double, kKept> last{};  // the n-th cost is at n modulo kKept
  };
  std::size_t at(std::int32_t id, int cost) const {
    return static_cast<std::size_t>(id) * costs_ + static_cast<std::size_t>(cost);
  }
  void update(std::size_t place);

  std::size_t costs_ = 0;
  std::vector<Cell> cells_;
  std::vector<double> bounds_;  // derived from the cells
};

}  // namespace rein
