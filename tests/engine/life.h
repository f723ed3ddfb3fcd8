// Life: the records of an engine as it goes on, and some snapshots. A replay of the records, from the
// beginning or from any of the snapshots, must give the same state.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rein/engine.h"

namespace rein {

class Life {
 public:
  // Call after every call that may change the engine.
  void note(Engine& engine) {
    if (!engine.record().empty()) records_.emplace_back(engine.record());
  }
  void snapshot(const Engine& engine) {
    snapshots_.emplace_back(records_.size(), engine.snapshot());
  }

  std::size_t size() const { return records_.size(); }
  std::size_t snapshots() const { return snapshots_.size(); }
  // The state after all records, folded into a fresh engine.
  std::uint64_t replay(Engine fresh) const { return folded(std::move(fresh), 0); }
  // ... and into what the n-th snapshot holds, from where it was taken.
  std::uint64_t replay_from(std::size_t n) const {
    return folded(Engine::restore(snapshots_[n].second).value(), snapshots_[n].first);
  }

 private:
  std::uint64_t folded(Engine engine, std::size_t from) const {
    for (std::size_t n = from; n < records_.size(); ++n) engine.fold(records_[n]).check();
    return engine.state_hash();
  }

  std::vector<std::string> records_;
  std::vector<std::pair<std::size_t, std::string>> snapshots_;  // after so many records
};

}  // namespace rein
