// teach(): the rows of a log as logged rounds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/came.h"
#include "base/size.h"
#include "engine/log_columns.h"
#include "log/notes.h"

namespace rein {
namespace {

// The rows that can be learned, as rounds, in memory for a part of the log at a time.
class Lessons {
 public:
  Lessons(const Engine& engine, const Log& log, LogPlaces places)
      : engine_(engine), log_(log), places_(std::move(places)), notes_("learned") {
    const Shape& shape = engine.policy().shape();
    const std::int64_t numbers =
        shape.context + std::int64_t{shape.actions} * (shape.features + 1) + shape.heads();
    part_ = std::clamp<std::int64_t>(kMaxWarmNumbers / numbers, 1, kMaxWarmRounds);
    if (engine.schema() != nullptr) cells_.resize(engine.schema()->columns().size());
  }

  // Finds the rows that can be learned. The others are counted by reason.
  void choose() {
    for (std::int64_t row = 0; row < log_.rows(); ++row) {
      if (usable(row)) {
        rows_.push_back(row);
        notes_.keep();
      }
    }
    if (!log_.weight.empty()) {
      notes_.say(log_.line[0], "weights",
                 [] { return "rows have weights; learning does not use them, evaluation does"; });
    }
  }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  std::int64_t part() const { return part_; }
  const LogReport& report() const { return notes_.report(); }

  // Lets the schema see these rows, which statistics and categories are made of.
  Result<> observe(Engine& engine, std::size_t first, std::size_t last) {
    std::vector<std::vector<Cell>> columns(cells_.size());
    for (std::size_t i = first; i < last; ++i) {
      read_cells(rows_[i]);
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(cells_[c]);
    }
    std::vector<ColumnValues> values;
    for (const auto& column : columns) values.push_back({.cells = column});
    return engine.observe(values);
  }

  // The rounds of these rows; valid until the next call.
  std::span<const LoggedRound> rounds(std::size_t first, std::size_t last) {
    const Shape& shape = engine_.policy().shape();
    contexts_.assign((last - first) * as_size(shape.context), 0.0);
    features_.clear();
    ids_.clear();
    made_.clear();
    std::vector<std::size_t> begins;
    for (std::size_t i = first; i < last; ++i) {
      begins.push_back(ids_.size());
      LoggedRound& logged = made_.emplace_back(outcome_of(rows_[i]));
      add_offer(rows_[i], logged);
      write_context(rows_[i], std::span(contexts_).subspan((i - first) * as_size(shape.context),
                                                           as_size(shape.context)));
    }
    const auto width = as_size(shape.features);
    for (std::size_t n = 0; n < made_.size(); ++n) {  // the lists have stopped growing
      Round& round = made_[n].round;
      const auto count = as_size(round.actions);
      round.context =
          std::span(contexts_).subspan(n * as_size(shape.context), as_size(shape.context));
      round.ids = std::span(ids_).subspan(begins[n], count);
      if (width > 0)
        round.features = std::span(features_).subspan(begins[n] * width, count * width);
    }
    return made_;
  }

 private:
  std::int32_t id_of(std::int64_t row, int place) const {
    return places_.action[as_size(log_.action(row, place))];
  }

  bool usable(std::int64_t row) {
    const std::int64_t line = log_.line[as_size(row)];
    const LoggedRound logged = outcome_of(row);
    if (came_of(logged.outcome) == 0) {
      notes_.refuse(line, "nothing came", [] { return "no reward and no cost came"; });
      return false;
    }
    if (places_.action[as_size(log_.action(row))] < 0) {
      notes_.refuse(line, "action", [&] {
        const auto id = as_size(log_.action(row));
        return fmt::format(
            "found action {}, which the engine does not have",
            id < log_.names.actions.size() ? quoted(log_.names.actions[id]) : std::to_string(id));
      });
      return false;
    }
    if (auto fits = validate_parts(engine_.policy().shape(), clipped(logged.outcome)); !fits) {
      notes_.refuse(line, "outcome", [&] { return fits.error(); });
      return false;
    }
    if (engine_.schema() == nullptr) return true;
    if (read_cells(row)) {
      notes_.remark(line, "twice",
                    [] { return "a column has several values; the last one is used"; });
    }
    if (auto fits = engine_.schema()->check(cells_); !fits) {
      notes_.refuse(line, "context", [&] { return fits.error(); });
      return false;
    }
    return true;
  }

  LoggedRound outcome_of(std::int64_t row) const {
    const auto known = [](double value) { return std::isnan(value) ? kMissing : value; };
    LoggedRound logged;
    logged.outcome.reward = known(log_.reward[as_size(row)]);
    logged.outcome.costs = Costs(static_cast<int>(places_.cost.size()));
    for (std::size_t i = 0; i < places_.cost.size(); ++i) {
      const std::size_t at = as_size(row) * log_.names.costs.size() + as_size(places_.cost[i]);
      logged.outcome.costs[static_cast<int>(i)] = known(log_.costs[at]);
    }
    return logged;
  }

  // A cost above its range is clipped by a warm start, so it is no mistake.
  Outcome clipped(Outcome outcome) const {
    const Shape& shape = engine_.policy().shape();
    for (int i = 0; i < outcome.costs.size(); ++i) {
      if (is_missing(outcome.costs[i])) continue;
      outcome.costs[i] = std::min(outcome.costs[i], shape.costs[as_size(i)].range.high);
    }
    return outcome;
  }

  // The actions offered that the engine has, with their features.
  void add_offer(std::int64_t row, LoggedRound& logged) {
    const auto width = as_size(engine_.policy().shape().features);
    const int offers =
        log_.all_offered ? static_cast<int>(places_.action.size()) : log_.offers(row);
    for (int place = 0; place < offers; ++place) {
      const std::int32_t id = log_.all_offered ? places_.action[as_size(place)] : id_of(row, place);
      if (id < 0) continue;
      if (place == log_.played[as_size(row)]) logged.action = logged.round.actions;
      ++logged.round.actions;
      ids_.push_back(id);
      if (width == 0) continue;
      features_.resize(features_.size() + width, 0.0);
      double* const numbers = features_.data() + features_.size() - width;
      const auto at = as_size(log_.first(row) + place);
      for (auto j = log_.features_begin[at]; j < log_.features_begin[at + 1]; ++j) {
        numbers[places_.feature[as_size(log_.features_index[as_size(j)])]] =
            log_.features_value[as_size(j)];
      }
    }
  }

  void write_context(std::int64_t row, std::span<double> out) {
    if (engine_.schema() == nullptr) {
      const auto from = std::span(log_.context).subspan(as_size(row) * out.size(), out.size());
      std::ranges::copy(from, out.begin());
      return;
    }
    read_cells(row);
    engine_.schema()->encode(cells_, out).check();  // choose() has checked the row
  }

  // Whether a category came twice.
  bool read_cells(std::int64_t row) {
    bool twice = false;
    const std::size_t width = log_.names.context.size();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const bool word = engine_.schema()->kind(c) >= ColumnKind::kCategory;
      if (places_.dense[c] < 0) {
        cells_[c] = word ? Cell::missing() : Cell::of(0.0);
      } else {
        cells_[c] = Cell::of(log_.context[as_size(row) * width + as_size(places_.dense[c])]);
      }
    }
    if (log_.shared_begin.empty()) return twice;
    for (auto j = log_.shared_begin[as_size(row)]; j < log_.shared_begin[as_size(row) + 1]; ++j) {
      const auto feature = as_size(log_.shared_index[as_size(j)]);
      if (places_.sparse[feature] < 0) continue;
      const FeatureName& name = log_.names.features[feature];
      Cell& cell = cells_[as_size(places_.sparse[feature])];
      twice = twice || cell.kind == Cell::Kind::kText;
      cell = name.category ? Cell::of(std::string_view(name.value))
                           : Cell::of(log_.shared_value[as_size(j)]);
    }
    return twice;
  }

  const Engine& engine_;
  const Log& log_;
  LogPlaces places_;
  Notes notes_;
  std::int64_t part_ = 1;
  std::vector<std::int64_t> rows_;
  std::vector<Cell> cells_;
  std::vector<double> contexts_, features_;
  std::vector<std::int32_t> ids_;
  std::vector<LoggedRound> made_;
};

}  // namespace

Result<LogReport> teach(Engine& engine, const Log& log, const TeachProgress& progress) {
  auto places = match_log(engine, log);
  if (!places) return places.failure();
  Lessons lessons(engine, log, std::move(places).value());
  lessons.choose();
  const std::size_t count = lessons.rows().size();
  const auto each_part = [&](std::size_t part, const auto& each) -> Result<> {
    for (std::size_t first = 0; first < count; first += part) {
      if (auto done = each(first, std::min(first + part, count)); !done) return done;
    }
    return {};
  };
  // Statistics are those of all rows, as in a warm start from columns.
  if (engine.schema() != nullptr) {
    auto observed = each_part(as_size(kMaxWarmRounds), [&](std::size_t first, std::size_t last) {
      return lessons.observe(engine, first, last);
    });
    if (!observed) return observed.failure();
  }
  auto learned =
      each_part(as_size(lessons.part()), [&](std::size_t first, std::size_t last) -> Result<> {
        if (progress &&
            !progress(static_cast<std::int64_t>(first), static_cast<std::int64_t>(count))) {
          return Error{fmt::format("stopped after {} of {} rows", first, count), Reason::kFailed};
        }
        auto done =
            engine.warm_start(lessons.rounds(first, last), static_cast<std::int64_t>(first));
        if (!done) return done.failure();
        return {};
      });
  if (!learned) return learned.failure();
  return lessons.report();
}

}  // namespace rein
