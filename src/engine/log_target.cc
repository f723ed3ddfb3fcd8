#include "engine/log_target.h"

#include <fmt/format.h>

#include "base/size.h"
#include "engine/log_columns.h"

namespace rein {
namespace {

class TargetRows {
 public:
  TargetRows(const Engine& engine, const Log& log, LogPlaces places)
      : engine_(engine), log_(log), places_(std::move(places)) {
    if (engine.schema() != nullptr) cells_.resize(engine.schema()->columns().size());
  }

  Result<> add(std::int64_t row, std::span<double> out) {
    ids_.clear();
    log_ids_.clear();
    const int offers = log_.all_offered ? static_cast<int>(places_.action.size()) : log_.offers(row);
    for (int place = 0; place < offers; ++place) {
      const std::int32_t id = log_.all_offered ? place : log_.action(row, place);
      if (places_.action[as_size(id)] < 0) continue;
      ids_.push_back(places_.action[as_size(id)]);
      log_ids_.push_back(id);
    }
    if (ids_.empty()) return Error{"none of its actions is one of the model's"};
    Round round{.actions = static_cast<int>(ids_.size()), .ids = ids_};
    const std::size_t width = log_.names.context.size();
    if (engine_.schema() == nullptr) {
      round.context = std::span(log_.context).subspan(as_size(row) * width, width);
    } else {
      read_cells(row);
    }
    auto found = engine_.look(round, scratch_, {.row = cells_});
    if (!found) return found.failure();
    for (std::size_t place = 0; place < ids_.size(); ++place) {
      out[as_size(log_ids_[place])] = found.value().probabilities[place];
    }
    return {};
  }

 private:
  void read_cells(std::int64_t row) {
    const std::size_t width = log_.names.context.size();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const bool word = engine_.schema()->kind(c) >= ColumnKind::kCategory;
      cells_[c] = places_.dense[c] >= 0
                      ? Cell::of(log_.context[as_size(row) * width + as_size(places_.dense[c])])
                  : word ? Cell::missing()
                         : Cell::of(0.0);
    }
    if (log_.shared_begin.empty()) return;
    for (auto j = log_.shared_begin[as_size(row)]; j < log_.shared_begin[as_size(row) + 1]; ++j) {
      const auto feature = as_size(log_.shared_index[as_size(j)]);
      if (places_.sparse[feature] < 0) continue;
      const FeatureName& name = log_.names.features[feature];
      cells_[as_size(places_.sparse[feature])] =
          name.category ? Cell::of(std::string_view(name.value)) : Cell::of(log_.shared_value[as_size(j)]);
    }
  }

  const Engine& engine_;
  const Log& log_;
  LogPlaces places_;
  std::vector<Cell> cells_;
  std::vector<std::int32_t> ids_, log_ids_;
  LookScratch scratch_;
};

}  // namespace

Result<std::vector<double>> log_target(const Engine& engine, const Log& log, int actions) {
  if (engine.policy().shape().features > 0) {
    return Error{"the model's actions have features; accepted: a model whose rows have features only"};
  }
  auto places = match_log(engine, log);
  if (!places) return places.failure();
  TargetRows rows(engine, log, std::move(places).value());
  const std::size_t count = as_size(actions);
  std::vector<double> out(as_size(log.rows()) * count, 0.0);
  for (std::int64_t row = 0; row < log.rows(); ++row) {
    auto done = rows.add(row, std::span(out).subspan(as_size(row) * count, count));
    if (!done) return done.failure().in(fmt::format("line {}: ", log.line[as_size(row)]));
  }
  return out;
}

}  // namespace rein
