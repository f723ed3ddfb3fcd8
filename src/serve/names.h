// Actions and costs by name, as requests and documents give them.
//
//     costs    {"dollars": 0.02}, [0.02], or 0.02 if there is one cost
//     actions  "small"; a number, if actions have numbers
//     both     {"small": 0.1, "large": {"dollars": 1}}, or one row per action
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "rein/engine.h"
#include "serve/json_in.h"

namespace rein::serve {

// The id of an action, or Refused.
using FindAction = std::function<std::int32_t(const Json& given, const std::string& field)>;

FindAction find_in(const Engine& engine);
// Finds actions before there is an engine: by these names, in the order of the ids; without names
// by number, 0 to actions - 1.
FindAction find_in(std::span<const std::string> names, int actions);

// Reads one number per cost. Costs that are left out get the value `otherwise`; if `otherwise` is
// NaN, they are refused.
Costs read_costs(const Json& given, std::span<const CostShape> costs, const std::string& field,
                 double otherwise);
// Reads one row of costs per action of `ids`, in that order.
std::vector<double> read_by_action(const Json& given, std::span<const std::int32_t> ids,
                                   std::span<const CostShape> costs, const FindAction& find,
                                   const std::string& field);

// Writes an action by its name, or by its number if it has no name.
void write_action(JsonWriter& json, const Engine& engine, std::int32_t id);
std::string action_text(const Engine& engine, std::int32_t id);
void write_costs(JsonWriter& json, std::span<const CostShape> costs, const Costs& values);

}  // namespace rein::serve
