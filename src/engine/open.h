// Open: the decisions whose outcome has not come, or only in part, in the order in which they were
// made.
//
// Slots are reused and keep their memory: a slot allocates on first use, and again only for a
// larger round. The next decision is written into the draft, a slot that is not in use, so nothing
// is copied when it becomes open.
//
// Lookup is a chained hash table on the low bits of the id. The table has at least as many buckets
// as open decisions. Ids are encrypted, so they need no further hash.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/came.h"
#include "money/agent_runs.h"
#include "money/budgets.h"
#include "rein/record.h"

namespace rein {

class Open {
 public:
  struct Slot {
    std::uint64_t number = 0;  // number of the decision
    // Neighbours in the order of decisions; -1 at the ends.
    std::int32_t older = -1;
    std::int32_t newer = -1;
    std::int32_t alike = -1;  // next in the same bucket; -1 for the last
    Came came = 0;            // parts of the outcome that came (base/came.h),
    Outcome outcome;          // and what they are; the others are not set
    DecideRecord record;
    Claim claim;  // of the budgets; unused without any
    RunClaim run_claim;  // of the run of the decision; unused without one
    bool gives_way = false;  // listed by let_give_way()
  };
  // With room for this many decisions.
  explicit Open(std::int64_t most) : most_(most), lists_(16, -1) {}

  std::int64_t size() const { return size_; }
  bool full() const { return size_ >= most_; }
  // Changes the number that full() compares with. More may be open already; then nothing happens.
  void set_most(std::int64_t most) { most_ = most; }
  // The slot with this id; -1 if there is none.
  std::int32_t find(std::uint64_t id) const;
  std::int32_t oldest() const { return oldest_; }
  std::int32_t newest() const { return newest_; }
  const Slot& operator[](std::int32_t slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  Claim& claim(std::int32_t slot) { return mutable_slot(slot).claim; }
  RunClaim& run_claim(std::int32_t slot) { return mutable_slot(slot).run_claim; }
  Decision& decision(std::int32_t slot) { return mutable_slot(slot).record.decision; }
  // Remembers parts of the outcome of a decision. `part` has all costs.
  void take(std::int32_t place, Came which, const Outcome& part);

  // The slot for the next decision, which exists even if the maximum number is open. Its contents
  // last until a decision is added: removing a decision does not change them.
  DecideRecord& draft();
  // Makes the draft an open decision. REQUIRES a call of draft() since the last add(), room, and an
  // id that is not in use. Cannot fail.
  void add(std::uint64_t number);
  void remove(std::int32_t place);
  // The clock was set back: no decision was made later than this.
  void set_back(std::int64_t now);

  // Notes that this decision may give way to a new decision.
  void let_give_way(std::int32_t place);
  // The oldest decision that may; -1 if none may.
  std::int32_t oldest_to_give_way() const {
    return giving_way_.empty() ? -1 : giving_way_.front().place;
  }

 private:
  // An entry is stale once its decision is no longer open.
  struct GivesWay {
    std::uint64_t number = 0;
    std::int32_t place = -1;
    bool operator>(const GivesWay& other) const { return number > other.number; }
  };
  bool is_stale(const GivesWay& entry) const;
  void drop_stale();

  Slot& mutable_slot(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }
  std::int32_t& list_of(std::uint64_t id) { return lists_[id & (lists_.size() - 1)]; }
  void double_lists();

  std::int64_t most_;
  std::int64_t size_ = 0;
  std::deque<Slot> slots_;  // grows up to most_ plus the draft
  std::vector<std::int32_t> free_;
  std::vector<std::int32_t> lists_;  // first slot of each bucket; a power of two of them
  std::int32_t oldest_ = -1;
  std::int32_t newest_ = -1;
  // A heap by number, the oldest first. Its first entry is never stale.
  std::vector<GivesWay> giving_way_;
};

}  // namespace rein
