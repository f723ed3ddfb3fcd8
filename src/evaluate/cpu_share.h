// CpuShare: the processor time spent on deciding and learning, without a clock reading in every
// round.
//
// The clock of the thread excludes time in which the thread waits. But reading it takes longer than
// many rounds, so it is read only twice: before and after all rounds. The policy's share of that
// time is measured with the fast clock on every 17th round (on every round of a short run). Rounds
// in which the thread was preempted are left out. This is the only figure that differs between two
// equal runs.
#pragma once

#include <cstdint>

namespace rein {

class CpuShare {
 public:
  explicit CpuShare(std::int64_t rounds);

  // Call begin_round, then begin and end around each part that counts, then end_round.
  void begin_round();
  void begin();
  void end();
  void end_round();

  // Seconds of this thread's processor time spent in the parts, since construction.
  double seconds() const;

 private:
  std::int64_t stride_;
  std::int64_t round_ = 0;
  bool timed_ = false;
  double reading_;  // duration of one reading of the fast clock, in nanoseconds
  double round_began_ = 0.0;
  double part_began_ = 0.0;
  double part_ = 0.0;  // time in the parts of this round
  double parts_ = 0.0;
  double rounds_ = 0.0;
  double kept_ = 0.0;  // number of rounds that count
  double began_;       // in seconds
};

}  // namespace rein
