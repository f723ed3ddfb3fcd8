// A round as a request gives it: context, actions, scopes and what each action can cost. It owns all
// that the engine only looks at.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "rein/engine.h"
#include "serve/json_in.h"
#include "serve/names.h"

namespace rein::serve {

struct RoundIn {
  // Reads context, actions, scopes, largest_costs, most_costs, expected_costs and baseline. Throws Refused.
  RoundIn() = default;
  RoundIn(Fields& fields, const Engine& engine);
  RoundIn(const RoundIn&) = delete;  // views point into it
  RoundIn& operator=(const RoundIn&) = delete;
  RoundIn(RoundIn&&) = default;
  RoundIn& operator=(RoundIn&&) = default;
  ~RoundIn() = default;

  Round round() const;
  DecideOptions options();
  // Leaves only this action. False if the round does not offer it.
  bool only(std::int32_t id, const Engine& engine);

  std::vector<double> context;
  std::vector<double> features;
  std::vector<std::int32_t> ids;
  std::vector<Cell> row;
  std::vector<std::pair<std::string, std::string>> scopes;
  std::vector<double> largest, most, expected;
  std::vector<double>
      baseline;  // probabilities of the caller's own policy; one per action, or none

 private:
  void read_context(const Json& given, const Engine& engine, const std::string& field);
  void read_row(const Json::Object& given, const Schema& schema, const std::string& field);
  void read_baseline(const Json& given, const FindAction& find, const std::string& field);
  void read_actions(const Json* given, const Engine& engine, const std::string& field);

  std::deque<std::string> texts_;  // of cells; a deque does not move them
  std::vector<Scope> views_;
};

// One value of a schema's row. Text goes into `texts`.
Cell cell_of(const Json& given, ColumnKind kind, const std::string& field,
             std::deque<std::string>& texts);
// Keys of scopes have 1 to 256 bytes.
void check_key(std::string_view key, const std::string& field);
// {"tenant": "acme"} as pairs.
std::vector<std::pair<std::string, std::string>> read_scopes(const Json& given,
                                                             const std::string& field);

}  // namespace rein::serve
