// A round as a request gives it: context, actions, scopes and largest costs. RoundIn owns the
// numbers that the engine only views.
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
  // Reads context, actions, scopes, run, largest_costs, most_costs, expected_costs and baseline. Throws Refused.
  RoundIn() = default;
  RoundIn(Fields& fields, const Engine& engine);
  RoundIn(const RoundIn&) = delete;  // views point into it
  RoundIn& operator=(const RoundIn&) = delete;
  RoundIn(RoundIn&&) noexcept = default;
  RoundIn& operator=(RoundIn&&) noexcept = default;
  ~RoundIn() = default;

  Round round() const;
  DecideOptions options();
  // Leaves only this action in the round. Returns false if the round does not offer it.
  bool only(std::int32_t id, const Engine& engine);

  std::vector<double> context;
  std::vector<double> features;
  std::vector<std::int32_t> ids;
  std::vector<Cell> row;
  std::vector<std::pair<std::string, std::string>> scopes;
  std::vector<double> largest, most, expected;
  std::uint64_t run = 0;  // the id of its run; 0: none
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

// A value of a row of the schema. Text is stored in `texts`.
Cell cell_of(const Json& given, ColumnKind kind, const std::string& field,
             std::deque<std::string>& texts);
// Keys of scopes have 1 to 256 bytes.
void check_key(std::string_view key, const std::string& field);
// {"tenant": "acme"} as pairs.
std::vector<std::pair<std::string, std::string>> read_scopes(const Json& given,
                                                             const std::string& field);

}  // namespace rein::serve
