#include "offpolicy/action_models.h"

#include <fmt/format.h>


#include "base/math.h"
#include "offpolicy/rows.h"
#include "offpolicy/dense.h"

namespace rein {
namespace {

// The rows with all outcomes, ordered by cell: the sums of a cell stay in the cache.
struct CellOrder {
  std::vector<std::int64_t> start;  // cells + 1
  std::vector<std::int32_t> row;

  CellOrder(const FitFrame& frame, const OfflineRows& rows, std::int64_t first)
      : start(at(frame.cells()) + 1, 0) {
    const auto cell_of = [&](std::int64_t i) {
      return at(std::int64_t{rows.played[at(i)]} * frame.folds + frame.fold_of(first + i));
    };
    for (std::int64_t i = 0; i < rows.rows; ++i) start[cell_of(i) + 1] += rows.complete(i) ? 1 : 0;
    for (std::size_t cell = 1; cell < start.size(); ++cell) start[cell] += start[cell - 1];
    row.resize(at(start.back()));
    std::vector<std::int64_t> next(start.begin(), start.end() - 1);
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      if (rows.complete(i)) row[at(next[cell_of(i)]++)] = static_cast<std::int32_t>(i);
    }
  }
};

void add_given(const OfflineRows& rows, std::span<double> sums) {
  const std::size_t lanes = at(rows.features);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!rows.complete(row)) continue;
    const double weight = rows.weight(row);
    const double* x = context_of(rows, row);
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += weight * x[k];
    sums[lanes] += weight;
  }
}

}  // namespace

Result<FitFrame> fit_frame(const OfflineRows& rows, const FitOptions& options) {
  const std::int64_t observations = observations_of(rows);
  if (options.folds < 2 || options.folds > 1000 || options.folds > observations) {
    const char* const what = rows.unit.empty() ? "rows" : "units";
    return Error{fmt::format(
        "fit: found {} folds for {} {}; accepted: 2 to 1000, and at most the number of {}",
        options.folds, observations, what, what)};
  }
  if (!(options.ridge > 0.0 && options.ridge <= 1e12)) {
    return Error{
        fmt::format("fit: found ridge {}; accepted: more than 0, at most 1e12", options.ridge)};
  }
  const std::int64_t size = 1 + rows.features;
  const std::int64_t doubles =
      std::int64_t{rows.actions} * options.folds * size * (size + rows.heads);
  if (doubles > kMaxModelDoubles) {
    return Error{
        fmt::format("fit: {} actions with {} features in {} folds need {} numbers; accepted: "
                    "up to {}. Use fewer features or folds",
                    rows.actions, rows.features, options.folds, doubles, kMaxModelDoubles)};
  }
  FitFrame frame{.rows = rows.rows,
                 .folds = options.folds,
                 .actions = rows.actions,
                 .heads = rows.heads,
                 .features = rows.features,
                 .forward = options.forward,
                 .units = rows.unit};
  // Blocks that grow by a constant factor after the first twentieth: early rows, where a learner
  // explores most, get a prediction soon, and later blocks learn from about as many rows as they
  // have.
  for (int fold = 1; fold < frame.folds; ++fold) {
    const double power = static_cast<double>(frame.folds - fold) / (frame.folds - 1);
    const double start = static_cast<double>(rows.rows) * exp(-power * log(20.0));
    frame.starts.push_back(std::max<std::int64_t>(fold, static_cast<std::int64_t>(start)));
  }
  return frame;
}

FitFrame given_frame(const OfflineRows& rows) {
  return {.rows = rows.rows,
          .actions = rows.actions,
          .heads = rows.heads,
          .features = rows.features,
          .given = true,
          .units = rows.unit};
}

void add_moments(const OfflineRows& rows, std::span<const double> origin, std::span<double> sums) {
  for (std::int64_t row = 0; row < rows.rows; ++row)
    add_moments(context_of(rows, row), origin, sums);
}

NormalSums::NormalSums(const FitFrame& frame) : width(1 + frame.features) {
  right = frame.given ? 0 : gram(width, 0);
  squares = right + at(frame.heads) * at(width);
  cell = frame.given ? at(width) : squares + at(frame.heads);
  size = frame.given ? cell : cell * at(frame.cells());
}

void FitFrame::save(ByteWriter& out) const {
  out.i64(rows);
  for (const int size : {folds, actions, heads, features}) out.i64(size);
  out.u64(forward ? 1 : 0);
  out.u64(given ? 1 : 0);
  out.u64(starts.size());
  for (const std::int64_t start : starts) out.i64(start);
  scaling.save(out);
}

void FitFrame::load(ByteReader& in) {
  rows = in.between("rows", 0, kMaxOfflineRows);
  for (int* size : {&folds, &actions, &heads, &features}) {
    *size = static_cast<int>(in.between("size", 0, kMaxModelDoubles));
  }
  forward = in.u64() != 0;
  given = in.u64() != 0;
  starts.resize(at(in.between("folds", 0, 1000)));
  for (std::int64_t& start : starts) start = in.between("row", 0, kMaxOfflineRows);
  scaling.load(in);
}

void add_normal(const FitFrame& frame, const OfflineRows& rows, std::int64_t first,
                std::span<double> sums) {
  if (frame.given) return add_given(rows, sums);
  const NormalSums layout(frame);
  const CellOrder order(frame, rows, first);
  const std::size_t width = at(layout.width);
  std::vector<double> z(width);
  std::vector<double> weighted(width);
  for (std::size_t cell = 0; cell + 1 < order.start.size(); ++cell) {
    double* gram = sums.data() + cell * layout.cell;
    double* right = gram + layout.right;
    double* squares = gram + layout.squares;
    for (std::int64_t i = order.start[cell]; i < order.start[cell + 1]; ++i) {
      const std::int64_t row = order.row[at(i)];
      const double weight = rows.weight(row);
      frame.scaling.apply(context_of(rows, row), z);
      for (std::size_t j = 0; j < width; ++j) weighted[j] = weight * z[j];
      double* line = gram;
      for (std::size_t j = 0; j < width; ++j) {
        for (std::size_t k = 0; k <= j; ++k) line[k] += weighted[j] * z[k];
        line += j + 1;
      }
      for (int head = 0; head < rows.heads; ++head) {
        const double y = rows.outcomes[at(row * rows.heads + head)];
        line = right + at(head) * width;
        for (std::size_t j = 0; j < width; ++j) line[j] += y * weighted[j];
        squares[head] += weight * y * y;
      }
    }
  }
}

}  // namespace rein
