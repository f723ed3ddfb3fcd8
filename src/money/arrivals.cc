#include "money/arrivals.h"

#include <algorithm>
#include <cmath>

#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kWeight = 1.0 / 16.0;  // of what is usual, in windows
constexpr double kMemory = 4.0;         // windows that a profile is made of

double forecast(double share, double now, double usual) {
  return std::max(1.0, (1.0 - share) * (now + kWeight * usual) / (share + kWeight));
}

double mixed(double before, double now, double windows) {
  return before + (now - before) / std::min(windows + 1.0, kMemory);
}

}  // namespace

// How much of the window is over, from 0 to 1. Decisions of one tick are spread over it, so that a
// clock of few ticks does not stand still.
double Arrivals::elapsed(const WindowPlace& place) const {
  const auto length = static_cast<double>(place.length);
  auto over = static_cast<double>(place.at - place.first);
  if (place.timed && tick_ == place.at && started_) {
    const double known = windows_ > 0.0 ? per_window_ : expected_;
    const double usual =
        known > 0.0 ? known / length : (now_ - in_tick_) / std::max(over - begin_ * length, 1.0);
    over += in_tick_ / std::max(usual, in_tick_ + 1.0);
  }
  return std::clamp(over / length, 0.0, 1.0);
}

void Arrivals::expect(std::int64_t usual) {
  expected_ = static_cast<double>(usual);
  if (per_window_ == 0.0) return;  // no window has closed, or windows are not in time
  const double factor = expected_ / per_window_;  // the profile keeps its form
  for (double& part : profile_) part *= factor;
  per_key_ *= factor;
  add_up();
}

double Arrivals::before(double over) const {
  const double parts = over * kParts;
  const int whole = std::min(static_cast<int>(parts), kParts - 1);
  return before_[at(whole)] + profile_[at(whole)] * (parts - whole);
}

void Arrivals::add_up() {
  per_window_ = 0.0;
  for (int i = 0; i < kParts; ++i) {
    before_[at(i)] = per_window_;
    per_window_ += profile_[at(i)];
  }
}

Arrivals::Past Arrivals::past(const WindowPlace& place) const {
  const double over = elapsed(place);
  if (!place.timed) {
    return {over, static_cast<double>(place.length)};
  }
  if (windows_ > 0.0) {
    return {std::min(before(over) / per_window_, 1.0), per_window_};
  }
  const double begin = started_ ? begin_ : over;
  const double rest = std::max(1.0 - begin, 1e-300);
  const double share = std::clamp((over - begin) / rest, 0.0, 1.0);
  if (expected_ > 0.0) return {share, expected_ * rest};
  // One decision per tick, as long as nothing is known.
  const double ticks = rest * static_cast<double>(place.length);
  return {share, (now_ + 1.0) / (share * ticks + 1.0) * ticks};
}

void Arrivals::close() {
  if (now_ == 0.0) return;
  double unseen = begin_ * kParts;  // parts from before the first decision
  const double mean = now_ / std::max(kParts - unseen, 1.0);
  for (int i = 0; i < kParts; ++i, unseen -= 1.0) {
    const double seen = parts_[at(i)] + mean * std::clamp(unseen, 0.0, 1.0);
    profile_[at(i)] = mixed(profile_[at(i)], seen, windows_);
  }
  add_up();
  per_key_ = mixed(per_key_, now_ / std::max(keys_, 1.0), windows_);
  windows_ += 1.0;
}

void Arrivals::advance(const WindowPlace& place) {
  if (place.period == period_) return;
  close();
  period_ = place.period;
  parts_ = {};
  now_ = keys_ = begin_ = 0.0;
}

Arrivals::Count Arrivals::current(int slot) const {
  if (slot == kNone) return {.period = period_};
  Count count = counts_[at(slot)];
  if (count.period == period_ || count.period < 0) return count;
  const double usual = count.usual < 0.0 ? count.now : 0.5 * (count.usual + count.now);
  return {.period = period_, .now = 0.0, .usual = usual};
}

void Arrivals::count(int slot, const WindowPlace& place) {
  if (!started_) {
    begin_ = place.timed ? elapsed(place) : 0.0;
    started_ = true;
  }
  if (place.timed) {
    const int part = static_cast<int>(elapsed(place) * kParts);
    parts_[at(std::clamp(part, 0, kParts - 1))] += 1.0;
    in_tick_ = (tick_ == place.at ? in_tick_ : 0.0) + 1.0;
    tick_ = place.at;
  }
  Count& own = counts_[at(slot)];
  const bool first = own.period != period_;
  own = current(slot);
  own.period = period_;
  own.now += 1.0;
  now_ += 1.0;
  keys_ += first ? 1.0 : 0.0;
}

double Arrivals::left(const WindowPlace& place) const {
  const Past past = this->past(place);
  return forecast(past.share, place.timed ? now_ : past.share * past.usual, past.usual);
}

double Arrivals::left_of(int slot, const WindowPlace& place) const {
  const Past past = this->past(place);
  const Count own = current(slot);
  double usual = own.usual;
  if (usual < 0.0) usual = windows_ > 0.0 ? per_key_ : past.usual / std::max(keys_, 1.0);
  return forecast(past.share, own.now, usual);
}

double Arrivals::soon(const WindowPlace& place, std::int64_t ticks) const {
  return bring(now_, past(place).usual, place, ticks);
}

double Arrivals::soon_of(int slot, const WindowPlace& place, std::int64_t ticks) const {
  const Count own = current(slot);
  double usual = own.usual;
  if (usual < 0.0) {
    usual = windows_ > 0.0 ? per_key_ : past(place).usual / std::max(keys_, 1.0);
  }
  return bring(own.now, usual, place, ticks);
}

// The share of a window that usually comes in these ticks, which may reach into the next window,
// times the number of decisions that this window seems to bring.
double Arrivals::bring(double now, double usual, const WindowPlace& place,
                       std::int64_t ticks) const {
  const Past past = this->past(place);
  const double over = elapsed(place);
  const double span = static_cast<double>(ticks) / static_cast<double>(place.length);
  const double until = over + span;
  double share = span / std::max(1.0 - begin_, 1e-300);
  if (windows_ > 0.0) {
    share = until <= 1.0 ? before(until) - before(over)
                         : per_window_ - before(over) + before(until - 1.0);
    share /= per_window_;
  }
  return std::max(1.0, share * (now + kWeight * usual) / (past.share + kWeight));
}

void Arrivals::save(ByteWriter& out) const {
  out.tag("arrivals");
  out.i64(period_);
  out.i64(started_ ? 1 : 0);
  out.i64(tick_);
  out.f64s(std::array{expected_, begin_, in_tick_, now_, keys_, windows_, per_key_});
  out.f64s(parts_);
  out.f64s(profile_);
  out.i64(size());
  for (const Count& count : counts_) {
    out.i64(count.period);
    out.f64(count.now);
    out.f64(count.usual);
  }
}

Result<> Arrivals::load(ByteReader& in) {
  Arrivals read;
  in.tag("arrivals");
  read.period_ = in.count();
  read.started_ = in.between("whether decisions came", 0, 1) == 1;
  read.tick_ = in.between("a tick", -1, INT64_MAX);
  bool sound = true;
  const auto number = [&](double& to) {
    to = in.f64();
    sound = sound && to >= 0.0 && to < INFINITY;
  };
  for (double* to : {&read.expected_, &read.begin_, &read.in_tick_, &read.now_, &read.keys_,
                     &read.windows_, &read.per_key_}) {
    number(*to);
  }
  for (double& part : read.parts_) number(part);
  for (double& part : read.profile_) number(part);
  const std::int64_t slots = in.count();
  for (std::int64_t slot = 0; slot < slots && in.ok(); ++slot) {
    Count count{.period = in.between("a window", -1, INT64_MAX)};
    number(count.now);
    count.usual = in.f64();
    sound = sound && count.usual >= -1.0 && count.usual < INFINITY;
    read.counts_.push_back(count);
  }
  read.add_up();
  if (!sound) in.fail("saved state: a number of decisions that cannot be");
  if (auto ok = in.status(); !ok) return ok;
  *this = std::move(read);
  return {};
}

}  // namespace rein
