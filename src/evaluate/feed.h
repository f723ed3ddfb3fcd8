// Feed: hands the outcomes of a play to its engine, part by part, each part when it is due. Some
// parts never come. Which parts are lost depends on the seed and the round only, so every policy
// loses the same parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/came.h"
#include "evaluate/live.h"
#include "rein/rng.h"

namespace rein {

class Feed {
 public:
  // `rules`: of the reward, then of every cost. Parts that are due after the last round are not
  // kept.
  Feed(std::span<const PartRule> rules, std::int64_t rounds, std::uint64_t seed);

  // The outcome of the decision that was made in round t.
  void add(std::int64_t t, std::uint64_t id, const Outcome& outcome);
  // Learns all that is due in round t, oldest first.
  Result<> deliver(std::int64_t t, Engine& engine) const;

 private:
  struct Waiting {
    std::int64_t round = 0;  // rounds count from 1
    std::uint64_t id = 0;
    Outcome outcome;  // without the parts that are lost
  };
  struct Group {  // parts that are equally late
    std::int64_t late = 0;
    Came parts = 0;
  };
  const Waiting& at(std::int64_t t) const;

  std::vector<PartRule> rules_;
  std::vector<Group> groups_;  // the latest first
  std::vector<Waiting> ring_;
  Rng rng_;
};

}  // namespace rein
