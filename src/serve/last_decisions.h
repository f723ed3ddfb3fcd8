// LastDecisions: the last thousand decisions of a model with what came of them, for the search of the live page and
// GET decisions. It begins anew with each start, and nothing depends on it. One thread uses it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rein/engine.h"

namespace rein::serve {

struct LastDecision {
  std::uint64_t id = 0;
  std::int64_t at = 0;
  std::int32_t action = 0, best = 0;  // ids
  double probability = 0.0, reward = kMissing;
  std::vector<double> costs;
  std::vector<std::pair<std::string, std::string>> scopes;
  std::string_view reason;   // of a text that stays
  std::string_view state = "open";
};

class LastDecisions {
 public:
  static constexpr std::size_t kMost = 1000;

  // A place for the next decision, with the memory of the one that it takes the place of.
  LastDecision& add(std::uint64_t id);
  LastDecision* find(std::uint64_t id);  // null: it is not one of them
  std::size_t size() const { return entries_.size(); }
  const LastDecision& newest(std::size_t back) const;  // REQUIRES back < size()

 private:
  static constexpr std::size_t kHeads = 1024;
  std::uint16_t& head_of(std::uint64_t id) { return heads_[(id ^ id >> 32U) % kHeads]; }

  // Chains of the entries whose ids have the same low bits. Places count from 1; 0 ends a chain.
  std::array<std::uint16_t, kHeads> heads_{};
  std::vector<std::uint16_t> next_;
  std::vector<LastDecision> entries_;  // a ring
  std::size_t count_ = 0;              // decisions since the start
};

// Whether every word of `search` is in the text, in upper or lower case.
bool has_words(std::string_view text, std::string_view search);

}  // namespace rein::serve
