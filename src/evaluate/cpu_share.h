// CpuShare: how much processor time deciding and learning took, without a clock in every round.
//
// The thread's own clock counts no time in which the thread had to wait, but reading it takes
// longer than many a round, so it is read twice: around all rounds. What part of that was the
// policy's is measured with the fast clock on every 17th round (every round of a short run),
// leaving out the few in which the thread was put aside. The only figure of a run that differs
// between two runs.
#pragma once

#include <cstdint>

namespace rein {

class CpuShare {
 public:
  explicit CpuShare(std::int64_t rounds);

  // A round: begin_round, then begin and end around each part that counts, end_round.
  void begin_round();
  void begin();
  void end();
  void end_round();

  // Seconds of this thread's processor time since it was made that went into the parts.
  double seconds() const;

 private:
  std::int64_t stride_;
  std::int64_t round_ = 0;
  bool timed_ = false;
  double reading_;  // what one reading of the fast clock takes; nanoseconds all
  double round_began_ = 0.0;
  double part_began_ = 0.0;
  double part_ = 0.0;  // of this round
  double parts_ = 0.0;
  double rounds_ = 0.0;
  double kept_ = 0.0;  // rounds that count
  double began_;       // seconds
};

}  // namespace rein
