// CpuShare: how much processor time deciding and learning took, without a clock in every round.
//
// The thread's own clock is read twice, at the start and the end of the loop: it is exact but slow.
// What part of that was the policy's is measured on every 17th round (every round of short runs)
// with the fast clock. The only figure of a run that differs between two runs.
#pragma once

#include <cstdint>

namespace rein {

class CpuShare {
 public:
  explicit CpuShare(std::int64_t rounds);

  // A round: begin_round, then begin_part and end_part around each part that counts, end_round.
  void begin_round();
  void begin_part();
  void end_part();
  void end_round();

  // Seconds of this thread's processor time since the constructor that went into the parts.
  double seconds() const;

 private:
  std::int64_t stride_;
  std::int64_t round_ = 0;
  bool timed_ = false;
  std::int64_t tick_ = 0;  // what one reading of the fast clock takes
  std::int64_t round_began_ = 0;
  std::int64_t part_began_ = 0;
  double parts_ = 0.0;
  double rounds_ = 0.0;
  double began_;
};

}  // namespace rein
