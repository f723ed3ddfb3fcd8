#include "estimate/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/aligned.h"
#include "base/kernels.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr int kMaxCurves = 4096;
// Numbers of frequencies. They are drawn again from the seed, so no snapshot holds them: 512 MiB.
constexpr std::size_t kMaxWaves = std::size_t{1} << 26;

// A number, or `auto`: 0.
double read_width(SpecReader& read) {
  const SpecValue* value = read.value("width");
  if (value == nullptr) return 0.5;
  if (const auto* word = std::get_if<Spec>(&value->is); word != nullptr && word->str() == "auto") {
    return 0.0;
  }
  const auto* number = std::get_if<double>(&value->is);
  if (number != nullptr && *number >= 1e-6 && *number <= 1e6) return *number;
  read.wrong("width", *value, "1e-6 to 1e6, or auto");
  return 0.5;
}

}  // namespace

Result<std::unique_ptr<Oracle>> Kernel::make(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "oracle spec");
  const FeatureMap map(read, shape);
  Options options{};
  options.dictionary = read.word("kind", "fourier", {"fourier", "dictionary"}) == "dictionary";
  options.linear = read.flag("linear", true);
  options.novelty = read.number("novelty", 0.1, {.low = 1e-6, .high = 1.0});
  options.reg = read.number("reg", 0.1, {.low = 1e-12, .high = 1e12});
  options.seed = static_cast<std::uint64_t>(read.integer("seed", 1, 0, std::int64_t{1} << 53));
  options.size = static_cast<int>(read.integer("size", 128, 2, kMaxCurves));
  options.width = read_width(read);
  if (options.dictionary && read.has("seed")) read.refuse("key \"seed\" is for kind=fourier");
  if (options.dictionary && options.width == 0.0) {
    read.refuse("width=auto is for kind=fourier; accepted: a number");
    options.width = 0.5;
  }
  if (!options.dictionary && read.has("novelty")) {
    read.refuse("key \"novelty\" is for kind=dictionary");
  }
  if (!options.dictionary && options.size % 2 != 0) {
    read.refuse(
        fmt::format("key \"size\" has {}; kind=fourier accepts even numbers: a cosine and "
                    "a sine for every frequency",
                    options.size));
  }
  const int d = options.size + (options.linear ? map.size() : 0);
  const int sets = map.parameter_sets();
  const std::size_t extra = options.dictionary
                                ? as_size(sets) * (packed_size(options.size) +
                                                   as_size(map.size()) * as_size(options.size))
                                : as_size(map.size()) * as_size(options.size / 2);
  if (!options.dictionary && extra > kMaxWaves) {
    read.refuse(fmt::format(
        "{} curves of {} inputs need {} frequencies; kernel takes at most {}; accepted: a smaller "
        "size, or fewer inputs",
        options.size, map.size(), extra, kMaxWaves));
  }
  if (!Ridge::fits(d, sets, shape.heads()) ||
      (options.dictionary && extra > Allowance::doubles())) {
    read.refuse(fmt::format(
        "{} curves in {} sets of parameters need {} numbers; kernel takes at most {} curves and {} "
        "numbers; accepted: a smaller size, linear=0, or features=joint",
        d, sets, Ridge::numbers(d, sets, shape.heads()) + extra, kMaxDimension,
        Allowance::doubles()));
  }
  if (auto done = read.finish(); !done) return done.failure();
  return std::unique_ptr<Oracle>(new Kernel(map, shape, options));
}

Kernel::Kernel(const FeatureMap& map, const Shape& shape, const Options& options)
    : map_(map),
      options_(options),
      ridge_(options.size + (options.linear ? map.size() : 0), map.parameter_sets(), Heads(shape),
             options.reg),
      widths_(map.size()),
      predicted_(as_size(shape.heads())),
      psi_(as_size(ridge_.size())) {
  if (options.dictionary) {
    curves_ = std::make_unique<DictionaryFeatures>(map.size(), options.size, map.parameter_sets(),
                                                   options.width, options.novelty);
  } else {
    const bool measured = options.width == 0.0;
    auto waves = std::make_unique<FourierFeatures>(map.size(), options.size,
                                                   measured ? 1.0 : options.width, options.seed);
    if (measured) waves_ = waves.get();
    curves_ = std::move(waves);
  }
  work_.resize(row_work());
}

void Kernel::row(const Round& round, int action, double* psi, double* work) const {
  const std::size_t d = as_size(map_.size());
  map_.row(round, action, {work, d});
  if (waits()) {
    std::fill_n(psi, options_.size, 0.0);
  } else {
    curves_->row(map_.set_of(round, action), work, psi, work + d);
  }
  if (options_.linear) std::copy_n(work, d, psi + options_.size);
}

std::size_t Kernel::scratch() const {
  const std::size_t d = as_size(ridge_.size());
  if (map_.parameter_sets() > 1) return row_work() + 2 * d;
  return row_work() + kLanes * d + kLineDoubles + Ridge::kGroup * d + ridge_.group_scratch();
}

void Kernel::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  ridge_.begin(estimates);
  if (map_.parameter_sets() > 1) {
    predict_per_action(round, scratch, estimates);
  } else {
    predict_shared(round, scratch, estimates);
  }
}

void Kernel::predict_shared(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const std::size_t d = as_size(ridge_.size());
  const std::span<double> work = scratch.take(row_work());
  const std::span<double> rows = scratch.take(kLanes * d);
  const std::span<double> columns = take_aligned(scratch, Ridge::kGroup * d);
  const std::span<double> group = scratch.take(ridge_.group_scratch());
  // The absolute value of a curve is at most 1.
  const bool tame = !options_.linear || map_.within(round, ridge_.largest_tame());
  for (int first = 0; first < round.actions; first += Ridge::kGroup) {
    const int count = std::min(Ridge::kGroup, round.actions - first);
    for (int lane = 0; lane < count; lane += kLanes) {
      const int here = std::min(kLanes, count - lane);
      for (int i = 0; i < here; ++i) {
        row(round, first + lane + i, rows.data() + as_size(i) * d, work.data());
      }
      kernels().pack(rows.data(), d, here, ridge_.size(), columns.data() + as_size(lane) * d);
    }
    ridge_.predict_group(first, count, tame, columns.data(), group.data(), estimates);
  }
}

void Kernel::predict_per_action(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const std::span<double> work = scratch.take(row_work());
  const std::span<double> psi = scratch.take(as_size(ridge_.size()));
  const std::span<double> y = scratch.take(as_size(ridge_.size()));
  // Without action features, and with shared frequencies, all actions have the same curves.
  const bool same = map_.features() == 0 && !options_.dictionary;
  for (int a = 0; a < round.actions; ++a) {
    if (a == 0 || !same) row(round, a, psi.data(), work.data());
    ridge_.predict_one(map_.set_of(round, a), a, psi.data(), y.data(), estimates);
  }
}

void Kernel::learn(const Round& round, int action, std::span<const double> outcomes) {
  const int set = map_.set_of(round, action);
  row(round, action, psi_.data(), work_.data());
  ridge_.learn(set, psi_.data(), outcomes, predicted_);
  if (waits()) {  // z is at the start of work_
    widths_.add(work_.data());
    if (widths_.known()) waves_->set_widths(widths_.widths());
    return;
  }
  curves_->learn(set, work_.data(), psi_.data());
}

double Kernel::norm_squared() const { return 1.0 + (options_.linear ? map_.norm_squared() : 0.0); }

double Kernel::bound(std::int64_t rounds) const { return ridge_.bound(rounds, norm_squared()); }

WidthSum Kernel::width_sum(std::int64_t rounds) const {
  return ridge_.width_sum(rounds, norm_squared());
}

void Kernel::save(ByteWriter& out) const {
  out.state("kernel", Known{"kind", options_.dictionary ? 1 : 0}, Known{"size", options_.size},
            ridge_, *curves_);
  if (waves_ != nullptr) widths_.save(out);
}

Result<> Kernel::load(ByteReader& in) {
  auto done = in.state("kernel", Known{"kind", options_.dictionary ? 1 : 0},
                       Known{"size", options_.size}, ridge_, *curves_);
  if (!done || waves_ == nullptr) return done;
  widths_.load(in);
  if (widths_.known()) waves_->set_widths(widths_.widths());
  return in.status();
}

}  // namespace rein
