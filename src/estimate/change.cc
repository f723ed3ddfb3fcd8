#include "estimate/change.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kThreshold = 25.0;
constexpr double kUsual = 2.0;  // times the usual gain: what is no change
constexpr double kMostGain = 2.0;
constexpr double kKnown = 0.05;        // widths above this are not tested
constexpr double kEnough = 20.0;       // outcomes before the noise is known
constexpr double kLeastNoise = 1e-12;  // in units squared
constexpr double kSlight = 0.01;       // of the mean square outcome: smaller changes do not matter
constexpr double kReady = 4.0;         // memories that p must have learned for the test
constexpr double kNoiseMemory = 1000.0;
constexpr double kGone = 1e-6;   // what a ring leaves of the shadow, which corrected another p
constexpr int kOftenBelow = 32;  // features up to which every outcome is looked at
constexpr std::size_t kMostNumbers = std::size_t{1} << 21;  // 16 MiB

}  // namespace

double Change::memory_of(int d, int sets) { return std::max(200.0, 8.0 * d * sets); }

bool Change::fits(int d, int sets, int heads) {
  return Ridge::fits(d, sets, heads) && Ridge::numbers(d, sets, heads) <= kMostNumbers;
}

Change::Change(int d, int sets, const Shape& shape)
    : heads_(shape),
      memory_(memory_of(d, sets)),
      every_(d <= kOftenBelow ? 1 : 4),
      shadow_(d, sets, residual_heads(shape), 1.0, Ridge::Kind::kPlain,
              std::max(2.0, memory_ / static_cast<double>(every_))),
      noise_(as_size(sets) * as_size(heads_.size())),
      sums_(as_size(heads_.size())),
      usual_(sums_.size()),
      seen_(sums_.size()),
      since_(sums_.size()),
      residual_(sums_.size()),
      correction_(sums_.size()) {}

bool Change::learn(int set, const double* phi, std::span<const double> predicted,
                   std::span<const double> outcomes, HeadValues& widths) {
  bool any = false;
  for (int h = 0; h < heads_.size(); ++h) {
    const std::size_t i = as_size(h);
    residual_[i] = kNan;
    if (std::isnan(outcomes[i]) || ++seen_[i] % every_ != 0) continue;
    residual_[i] = heads_.to_units(h, outcomes[i]) - heads_.to_units(h, predicted[i]);
    any = true;
  }
  if (!any) return false;
  shadow_.learn(set, phi, residual_, correction_);
  bool rings = false;
  for (int h = 0; h < heads_.size(); ++h) {
    if (std::isnan(residual_[as_size(h)])) continue;
    rings |= look(set, h, heads_.to_units(h, outcomes[as_size(h)]), widths[h]);
  }
  if (rings) {
    std::ranges::fill(sums_, 0.0);
    std::ranges::fill(usual_, 0.0);
    shadow_.forget(kGone);
    since_ = seen_;
  }
  return rings;
}

bool Change::look(int set, int head, double y, double width) {
  const std::size_t h = as_size(head);
  const auto learned = static_cast<double>(seen_[h] - since_[h]);
  Noise& noise = noise_[as_size(set) * sums_.size() + h];
  const double miss = residual_[h] * residual_[h];
  bool rings = false;
  if (learned >= memory_ && width <= kKnown && noise.count >= kEnough) {
    const double rest = residual_[h] - correction_[h];
    const double variance = std::max({noise.square, kSlight * noise.size, kLeastNoise});
    const double gain = std::min((miss - rest * rest) / (2.0 * variance), kMostGain);
    if (learned >= kReady * memory_) {
      rings = test(head, gain - kUsual * std::max(0.0, usual_[h]));
    }
    const double count = std::min(learned - memory_ + 1.0, kReady * memory_);
    usual_[h] += (gain - usual_[h]) * static_cast<double>(every_) / count;
  }
  noise.count = std::min(noise.count + 1.0, kNoiseMemory);
  noise.square += (miss * (1.0 - width) - noise.square) / noise.count;
  noise.size += (y * y - noise.size) / noise.count;
  return rings;
}

bool Change::test(int head, double gain) {
  double& sum = sums_[as_size(head)];
  sum = std::max(0.0, sum + gain);
  if (sum <= kThreshold + log(static_cast<double>(heads_.size()))) return false;
  head_ = head;
  return true;
}

void Change::save(ByteWriter& out) const {
  out.tag("change");
  shadow_.save(out);
  for (const Noise& noise : noise_) out.parts(noise.count, noise.square, noise.size);
  out.parts(sums_, usual_);
  for (std::int64_t n : seen_) out.i64(n);
  for (std::int64_t n : since_) out.i64(n);
  out.i64(head_);
}

void Change::load(ByteReader& in) {
  in.tag("change");
  shadow_.load(in);
  const auto sets = static_cast<int>(noise_.size() / sums_.size());
  for (Noise& noise : in.saved(noise_, sets)) in.parts(noise.count, noise.square, noise.size);
  in.parts(sums_, usual_);
  for (std::int64_t& n : seen_) n = in.count();
  for (std::int64_t& n : since_) n = in.count();
  const std::int64_t head = in.i64();
  if (head < -1 || head >= heads_.size()) in.fail("change: the saved head is invalid");
  head_ = in.ok() ? static_cast<int>(head) : -1;
}

}  // namespace rein
