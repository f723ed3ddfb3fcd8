#include "evaluate/cpu_share.h"

#include <time.h>

#include <algorithm>
#include <limits>

namespace rein {
namespace {

constexpr std::int64_t kShortRun = 4096;
constexpr std::int64_t kStride = 17;

std::int64_t fast_clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double thread_clock() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

CpuShare::CpuShare(std::int64_t rounds)
    : stride_(rounds < kShortRun ? 1 : kStride), tick_(std::numeric_limits<std::int64_t>::max()) {
  for (int i = 0; i < 16; ++i) {
    const std::int64_t before = fast_clock();
    tick_ = std::min(tick_, fast_clock() - before);
  }
  began_ = thread_clock();
}

void CpuShare::begin_round() {
  timed_ = round_++ % stride_ == 0;
  if (timed_) round_began_ = fast_clock();
}

void CpuShare::begin_part() {
  if (timed_) part_began_ = fast_clock();
}

void CpuShare::end_part() {
  if (!timed_) return;
  parts_ += static_cast<double>(std::max<std::int64_t>(fast_clock() - part_began_ - tick_, 0));
  rounds_ -= static_cast<double>(2 * tick_);  // the two readings are no part of the round
}

void CpuShare::end_round() {
  if (!timed_) return;
  rounds_ += static_cast<double>(std::max<std::int64_t>(fast_clock() - round_began_ - tick_, 0));
}

double CpuShare::seconds() const {
  const double all = thread_clock() - began_;
  return rounds_ > 0.0 ? all * std::min(1.0, parts_ / rounds_) : all;
}

}  // namespace rein
