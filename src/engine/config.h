// Config: everything an engine is made from, checked, with its byte form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "price/ledger.h"
#include "rein/engine.h"

namespace rein {

struct Config {
  Spec policy;
  Shape shape;  // as it was given; its function classes are not saved
  EngineOptions options;
  Own own = {};  // not saved either
};

std::string encode(const Config& config);
Result<Config> decode_config(std::string_view bytes);

// Refuses options over their limits, and options that do not fit each other or the shape.
Result<> validate(const Shape& shape, const EngineOptions& options);

// The hard budget, if there is one: its limits, and the largest cost of every action.
// REQUIRES options that validate() accepts.
class HardBudget {
 public:
  HardBudget(const Shape& shape, const EngineOptions& options);

  bool active() const { return !limits_.empty(); }
  const std::vector<Micro>& limits() const { return limits_; }
  // The largest cost of the action with this id: in the units of the shape, and as held in
  // micro-units.
  double largest(std::int32_t id, int cost) const;
  Micros hold_of(std::int32_t id) const;
  // The largest cost of any action.
  const Micros& hold_of_any() const { return hold_of_any_; }

 private:
  std::vector<Micro> limits_;
  Costs common_;              // from the ranges of the shape
  std::vector<Costs> by_id_;  // empty: common_ for all
  std::int32_t safe_ = -1;
  Costs safe_cost_;
  Micros hold_of_any_{};
};

}  // namespace rein
