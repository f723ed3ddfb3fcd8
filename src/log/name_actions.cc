// Actions that logs of Vowpal Wabbit know by their features become actions with names.
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <unordered_map>

#include "base/size.h"
#include "log/notes.h"
#include "log/text_writer.h"

namespace rein {
namespace {

// The features of an offer as bytes, equal for equal features.
std::string features_key(const Log& log, std::size_t offer) {
  const auto from = as_size(log.features_begin[offer]), to = as_size(log.features_begin[offer + 1]);
  std::string key;
  for (std::size_t j = from; j < to; ++j) {
    char bytes[sizeof(std::int32_t) + sizeof(double)];
    std::memcpy(bytes, &log.features_index[j], sizeof(std::int32_t));
    std::memcpy(bytes + sizeof(std::int32_t), &log.features_value[j], sizeof(double));
    key.append(bytes, sizeof bytes);
  }
  return key;
}

// `A^topic=sports A^price:3`
std::string features_name(const Log& log, std::size_t offer) {
  const auto from = as_size(log.features_begin[offer]), to = as_size(log.features_begin[offer + 1]);
  const auto feature = [&](std::size_t j) -> const FeatureName& {
    return log.names.features[as_size(log.features_index[j])];
  };
  if (from == to) return "no features";
  if (to == from + 1 && log.features_value[from] == 1.0) return name_by_feature(feature(from));
  std::string out;
  for (std::size_t j = from; j < to; ++j) {
    if (j > from) out += ' ';
    out += feature(j).str();
    if (log.features_value[j] != 1.0) out += fmt::format(":{}", log.features_value[j]);
  }
  return out;
}

class Naming {
 public:
  Naming(Log& log, std::size_t most) : log_(log), most_(most) {}

  Result<> run() {
    for (std::int64_t row = 0; row < log_.rows(); ++row) {
      if (auto fine = log_.names.actions.empty() ? name_row(row) : check_row(row); !fine) {
        return fine;
      }
    }
    if (log_.names.actions.empty()) take_names();
    log_.features_begin.clear();
    log_.features_index.clear();
    log_.features_value.clear();
    return {};
  }

 private:
  // Actions without names: one for each list of features.
  Result<> name_row(std::int64_t row) {
    for (int place = 0; place < log_.offers(row); ++place) {
      const std::size_t offer = as_size(log_.first(row)) + as_size(place);
      const auto [known, added] = ids_.try_emplace(features_key(log_, offer), as_id(names_.size()));
      if (added) names_.push_back(features_name(log_, offer));
      if (names_.size() > most_) {
        return wrong(row, fmt::format("actions with more than {} different lists of features; "
                                      "accepted: fewer, because each list is an action here",
                                      most_));
      }
      const std::int32_t id = known->second;
      last_row_.resize(names_.size(), -1);
      if (last_row_[as_size(id)] == row) {
        return wrong(row, fmt::format("two actions with the features {}; accepted: features that "
                                      "differ, because they name the actions",
                                      quoted(names_[as_size(id)])));
      }
      last_row_[as_size(id)] = row;
      offered_.push_back(id);
    }
    return {};
  }

  // Actions with names: their features must say no more than the name.
  Result<> check_row(std::int64_t row) {
    for (int place = 0; place < log_.offers(row); ++place) {
      const std::size_t offer = as_size(log_.first(row)) + as_size(place);
      const std::int32_t id = log_.action(row, place);
      const auto [known, added] = features_.try_emplace(id, features_key(log_, offer));
      if (added || known->second == features_key(log_, offer)) continue;
      return wrong(row, fmt::format("other features of action {} than before; accepted: the same "
                                    "features in every row, or features of the context",
                                    quoted(log_.names.actions[as_size(id)])));
    }
    return {};
  }

  void take_names() {
    log_.report.notes.push_back(
        {.what = fmt::format("actions are named by their features, {} in all: {}", names_.size(),
                             shown_names(names_)),
         .count = 1,
         .first = log_.line.front(),
         .last = log_.line.front(),
         .of_file = true});
    log_.names.actions = std::move(names_);
    log_.offered = std::move(offered_);
  }

  Error wrong(std::int64_t row, const std::string& found) const {
    return Error{
        fmt::format("log {}, line {}: found {}", log_.report.path, log_.line[as_size(row)], found)};
  }
  static std::int32_t as_id(std::size_t number) { return static_cast<std::int32_t>(number); }

  Log& log_;
  std::size_t most_;
  std::unordered_map<std::string, std::int32_t> ids_;       // by features
  std::unordered_map<std::int32_t, std::string> features_;  // by id
  std::vector<std::string> names_;
  std::vector<std::int32_t> offered_;
  std::vector<std::int64_t> last_row_;  // in which each action was offered
};

}  // namespace

Result<> name_actions(Log& log, std::size_t most) {
  if (log.features_begin.empty() || log.rows() == 0) return {};
  return Naming(log, most).run();
}

}  // namespace rein
