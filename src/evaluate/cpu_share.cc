#include "evaluate/cpu_share.h"

#include <time.h>

#include <algorithm>

namespace rein {
namespace {

constexpr std::int64_t kShortRun = 4096;
constexpr std::int64_t kStride = 17;
// A preempted thread is away for a good part of a millisecond. A round that took that long, and
// many times longer than usual, was interrupted.
constexpr double kAside = 100'000.0;
constexpr double kManyTimes = 10.0;

// A double holds 2^53 nanoseconds exactly: a hundred days.
double nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

double fast_clock() { return nanoseconds(CLOCK_MONOTONIC); }

}  // namespace

CpuShare::CpuShare(std::int64_t rounds) : stride_(rounds < kShortRun ? 1 : kStride) {
  const double before = fast_clock();
  double after = before;
  for (int i = 0; i < 32; ++i) after = fast_clock();
  reading_ = (after - before) / 32.0;
  began_ = 1e-9 * nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

void CpuShare::begin_round() {
  timed_ = round_++ % stride_ == 0;
  if (!timed_) return;
  part_ = 0.0;
  round_began_ = fast_clock();
}

void CpuShare::begin() {
  if (timed_) part_began_ = fast_clock();
}

void CpuShare::end() {
  if (!timed_) return;
  part_ += std::max(fast_clock() - part_began_ - reading_, 0.0);
  round_began_ += 2.0 * reading_;  // exclude two clock readings from the round
}

void CpuShare::end_round() {
  if (!timed_) return;
  const double whole = std::max(fast_clock() - round_began_ - reading_, part_);
  if (kept_ > 0.0 && whole > kAside && whole > kManyTimes * rounds_ / kept_) return;
  parts_ += part_;
  rounds_ += whole;
  kept_ += 1.0;
}

double CpuShare::seconds() const {
  const double all = 1e-9 * nanoseconds(CLOCK_THREAD_CPUTIME_ID) - began_;
  return rounds_ > 0.0 ? all * (parts_ / rounds_) : all;
}

}  // namespace rein
