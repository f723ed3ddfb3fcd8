#include "estimate/change.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "base/tuned.h"
#include "rein/bytes.h"

namespace rein {
namespace {

// A smaller variance counts as this one, in units squared, because outcomes are divided by it.
constexpr double kKept = 1e-6;         // share of the shadow that a change leaves: its errors are tiny
constexpr double kLeastNoise = 1e-12;
// Limit of the shadow's memory, in numbers of 8 bytes: 16 MiB.
constexpr std::size_t kMostNumbers = std::size_t{1} << 21;

}  // namespace

// One outcome in so many is learned. Learning one takes time that grows with d^2; a shadow that looks rarely
// takes time per outcome that grows with d.
std::int64_t Change::every_of(int d, bool often) {
  if (often) return d <= tuned::kChangeFeatures ? 1 : tuned::kSparse;
  return std::clamp(d / tuned::kSolveRounds, 1, tuned::kSolveRounds);
}

double Change::memory_of(int d, int sets) {
  return std::max(tuned::kMeanPlays, tuned::kChangePerParameter * d * sets);
}

bool Change::fits(int d, int sets, int heads) {
  return Ridge::fits(d, sets, heads) && Ridge::numbers(d, sets, heads) <= kMostNumbers;
}

Change::Change(int d, int sets, const Shape& shape, bool often)
    : heads_(shape),
      threshold_(tuned::kChangeThreshold + log(static_cast<double>(heads_.size()))),
      memory_(memory_of(d, sets)),
      every_(every_of(d, often)),
      shadow_(d, sets, residual_heads(shape), 1.0, Ridge::Kind::kPlain,
              std::max(2.0, memory_ / static_cast<double>(every_))),
      noise_(as_size(sets) * as_size(heads_.size())),
      level_(sets, heads_.size()),
      sums_(as_size(heads_.size())),
      zero_(sums_.size()),
      usual_(sums_.size()),
      seen_(sums_.size()),
      since_(sums_.size()),
      residual_(sums_.size()),
      due_(sums_.size()),
      correction_(sums_.size()) {}

std::optional<Change::Found> Change::learn(int set, const double* phi,
                                           std::span<const double> predicted,
                                           std::span<const double> outcomes, HeadValues& widths) {
  bool any = false;
  for (int h = 0; h < heads_.size(); ++h) {
    const std::size_t i = as_size(h);
    residual_[i] = due_[i] = kNan;
    if (std::isnan(outcomes[i])) continue;
    ++seen_[i];
    residual_[i] = heads_.to_units(h, outcomes[i]) - heads_.to_units(h, predicted[i]);
    if (!is_due(h)) continue;
    due_[i] = residual_[i];
    any = true;
  }
  if (any) shadow_.learn(set, phi, due_, correction_);
  std::optional<Found> found;
  for (int h = 0; h < heads_.size(); ++h) {
    if (std::isnan(residual_[as_size(h)])) continue;
    look(set, h, heads_.to_units(h, outcomes[as_size(h)]), widths[h], found);
  }
  return found;
}

double Change::share(int head, std::int64_t since) const {
  const auto outcomes = static_cast<double>(seen_[as_size(head)] - since);
  return std::max(1.0 - exp(-outcomes / memory_), tuned::kChangeShare);
}

void Change::look(int set, int head, double y, double width, std::optional<Found>& found) {
  const std::size_t h = as_size(head);
  const auto learned = static_cast<double>(seen_[h] - since_[h]);
  Noise& noise = noise_[as_size(set) * sums_.size() + h];
  const double miss = residual_[h] * residual_[h];
  if (noise.count >= tuned::kKnownRounds && width <= tuned::kChangeWidth) {
    const double variance = 
        std::max({noise.square, tuned::kSlight * noise.size, kLeastNoise});
    LevelTest::Found level;
    if (level_.look(set, head, residual_[h] / std::sqrt(variance), seen_[h], level)) {
      found = {.head = head, .set = level.set, .share = share(head, level.since)};
    }
    if (learned >= memory_ && is_due(head)) {
      const double rest = residual_[h] - correction_[h];
      const double gain = std::min((miss - rest * rest) / (2.0 * variance), tuned::kChangeGain);
      const double least = tuned::kChangeUsual * std::max(0.0, usual_[h]);
      if (learned >= tuned::kChangeMemories * memory_ && test(head, gain - least)) {
        found = {.head = head, .set = level_.owner(head, sums_[h]), .share = share(head, zero_[h])};
      }
      const double count = std::min(learned - memory_ + 1.0, tuned::kChangeMemories * memory_);
      usual_[h] += (gain - usual_[h]) * static_cast<double>(every_) / count;
    }
  }
  noise.count = std::min(noise.count + 1.0, tuned::kChangeNoiseMemory);
  noise.square += (miss * (1.0 - width) - noise.square) / noise.count;
  noise.size += (y * y - noise.size) / noise.count;
}

bool Change::test(int head, double gain) {
  double& sum = sums_[as_size(head)];
  sum = std::max(0.0, sum + gain);
  if (sum == 0.0) zero_[as_size(head)] = seen_[as_size(head)];
  return sum > threshold_;
}

void Change::hand_over(const Found& found, Ridge& oracle) {
  const bool all = found.set == LevelTest::kAll;
  const int sets = static_cast<int>(noise_.size() / sums_.size());
  for (int set = all ? 0 : found.set; set < (all ? sets : found.set + 1); ++set) {
    oracle.take_over(set, shadow_, found.head, found.share);
    shadow_.forget(kKept, set);
  }
  level_.restart(found.set);
  std::ranges::fill(sums_, 0.0);
  zero_ = seen_;
  if (!all) return;
  std::ranges::fill(usual_, 0.0);
  since_ = seen_;
}

void Change::save(ByteWriter& out) const {
  out.tag("change");
  shadow_.save(out);
  for (const Noise& noise : noise_) out.parts(noise.count, noise.square, noise.size);
  level_.save(out);
  out.parts(sums_, usual_);
  for (const auto* counts : {&seen_, &since_, &zero_}) {
    for (std::int64_t n : *counts) out.i64(n);
  }
}

void Change::load(ByteReader& in) {
  in.tag("change");
  shadow_.load(in);
  const auto sets = static_cast<int>(noise_.size() / sums_.size());
  for (Noise& noise : in.saved(noise_, sets)) in.parts(noise.count, noise.square, noise.size);
  in.put_back();
  level_.load(in);
  in.parts(sums_, usual_);
  for (auto* counts : {&seen_, &since_, &zero_}) {
    for (std::int64_t& n : *counts) n = in.count();
  }
}

}  // namespace rein
