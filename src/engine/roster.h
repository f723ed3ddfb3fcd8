// Roster: the actions of an engine, with their names if they have some, and which of them may be
// offered. Ids are given in order and never used again. A name belongs to the latest action that
// was given it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/bytes.h"
#include "rein/costs.h"
#include "rein/result.h"
#include "rein/round.h"

namespace rein {

class Roster {
 public:
  // Actions 0, ..., actions - 1. Names: one per action, or none.
  Roster(int actions, std::span<const std::string> names);
  // Refuses names that are empty, too long, or given twice.
  static Result<> check_names(std::span<const std::string> names, int actions);

  int size() const { return static_cast<int>(removed_.size()); }  // ids given so far
  int added() const { return size() - first_; }                   // since the engine was made
  bool named() const { return named_; }
  // Ids of the actions that may be offered, ascending.
  std::span<const std::int32_t> offered() const { return offered_; }
  // The id of the action that has this name and may be offered.
  Result<std::int32_t> find(std::string_view name) const;
  // Empty if actions have no names. REQUIRES an id that was given.
  const std::string& name(std::int32_t id) const { return names_[static_cast<std::size_t>(id)]; }
  // The largest costs that an added action brought; empty: as declared for all.
  const Costs& largest(std::int32_t id) const;

  // Refuses a round that offers a removed action.
  Result<> check(const Round& round) const;
  // Refuses what add() and remove() cannot do.
  Result<> check_add(std::string_view name) const;
  Result<> check_remove(std::int32_t id) const;
  std::int32_t add(std::string_view name, const Costs& largest);
  void remove(std::int32_t id);

  void save(ByteWriter& out) const;
  void load(ByteReader& in, int costs);

 private:
  bool removed(std::int32_t id) const { return removed_[static_cast<std::size_t>(id)]; }

  int first_;
  bool named_;
  std::vector<std::string> names_;  // by id
  std::vector<bool> removed_;
  std::vector<Costs> largest_;  // of added actions
  std::vector<std::int32_t> offered_;
  std::map<std::string, std::int32_t, std::less<>> ids_;  // of the actions that may be offered
};

}  // namespace rein
