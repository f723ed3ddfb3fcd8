// Roster: the actions of an engine, with their names if they have some, and which of them may be
// offered. Ids are given in order and never used again. A name belongs to the latest action that
// was given it.
//
// The policy knows an action by its place. The first actions have the places 0, 1, ... of their
// ids. An added action gets a new place, or the place of an added action that was removed and that
// no open decision offers. So neither the number of places nor the cost of an addition grows with
// all additions ever made. The places of the first actions are not used again, because options
// refer to them (shares, the safe action, largest costs).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rein/bytes.h"
#include "rein/costs.h"
#include "rein/result.h"
#include "rein/round.h"

namespace rein {

class Roster {
 public:
  // The action of a place: the action that may be offered, or the last action that had the place.
  struct Seat {
    std::int32_t id = 0;
    std::string name;
    Costs largest;  // that an added action brought; empty: as declared for all
    bool removed = false;
    // Working memory. Only open decisions from number looked_to to removed_at may offer it: how many had
    // been made when it was added, or looked at since, and when it was removed.
    std::uint64_t looked_to = 0, removed_at = 0;
  };

  // Actions 0, ..., actions - 1. Names: one per action, or none.
  Roster(int actions, std::span<const std::string> names);
  // Refuses names that are empty, too long, or given twice.
  static Result<> check_names(std::span<const std::string> names, int actions);

  std::int32_t ids() const { return next_; }  // ids given so far: 0, ..., ids() - 1
  int places() const { return static_cast<int>(seats_.size()); }
  int first() const { return first_; }              // places of the first actions
  int added() const { return places() - first_; }  // places besides
  bool named() const { return named_; }
  // Whether the place of every action is its id.
  bool plain() const { return moved_.empty(); }
  // The place of an action; -1 for ids that were not given, or whose place another action has.
  std::int32_t place(std::int32_t id) const;
  const Seat& seat(std::int32_t place) const { return seats_[static_cast<std::size_t>(place)]; }
  Seat& seat(std::int32_t place) { return seats_[static_cast<std::size_t>(place)]; }
  // Ids of the actions that may be offered, ascending.
  std::span<const std::int32_t> offered() const { return offered_; }
  // The id of the action that has this name and may be offered.
  Result<std::int32_t> find(std::string_view name) const;
  // Empty if actions have no names, and for ids without a place.
  const std::string& name(std::int32_t id) const;

  // Refuses a round that offers a removed action. The second accepts those that still have a place.
  Result<> check(const Round& round) const { return check(round, false); }
  Result<> check_places(const Round& round) const { return check(round, true); }
  // Refuses what add() and remove() cannot do.
  Result<> check_add(std::string_view name, bool new_place) const;
  Result<> check_remove(std::int32_t id) const;
  // Adds the action with the next id, at a new place (-1) or at the place of a removed action.
  void add(std::string_view name, const Costs& largest, std::int32_t place, std::uint64_t decided);
  void remove(std::int32_t id, std::uint64_t decided);

  void save(ByteWriter& out) const;
  void load(ByteReader& in, int costs, std::uint64_t decided);

 private:
  Result<> check(const Round& round, bool removed_too) const;
  void load_plain(ByteReader& in, int costs, std::uint64_t decided);
  static Costs read_largest(ByteReader& in, int costs);

  int first_;
  bool named_;
  std::int32_t next_;
  std::vector<Seat> seats_;  // by place
  std::vector<std::int32_t> offered_;
  std::unordered_map<std::int32_t, std::int32_t> moved_;  // places that are not the id
  std::map<std::string, std::int32_t, std::less<>> ids_;  // of the actions that may be offered
};

}  // namespace rein
