#include "log/text_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace rein {

void append_number(std::string& out, double number) {
  fmt::format_to(std::back_inserter(out), "{}", number);
}

void TextWriter::remark_lost(const LogRow& row, bool costs, bool weight, bool id,
                             std::string_view format) {
  const auto say = [&](bool lost, const char* what) {
    if (!lost) return;
    notes_.remark(row.line, what,
                  [&] { return fmt::format("{} left out: {} holds none", what, format); });
  };
  bool paid = false;
  for (const double cost : row.costs) paid = paid || !std::isnan(cost);
  say(costs && paid, "costs are");
  say(weight && row.weight != 1.0, "weights are");
  say(id && !row.id.empty(), "ids are");
  say(id && row.time != kNoTime, "times are");
}

std::string action_name(std::int32_t id, const LogNames& names) {
  return names.actions.empty() ? std::to_string(id) : names.actions[as_size(id)];
}

int offers_of(const LogRow& row, const LogNames& names) {
  return row.actions > 0 ? row.actions : static_cast<int>(names.actions.size());
}

std::string name_by_feature(const FeatureName& feature) {
  const bool ours = feature.category && feature.space == "Action" && feature.name == "id";
  return ours ? feature.value : feature.str();
}

std::vector<NamedFeature> context_features(const LogRow& row, const LogNames& names) {
  std::vector<NamedFeature> out;
  for (std::size_t i = 0; i < row.context.size(); ++i) {
    if (row.context[i] != 0.0) out.push_back({{"x", names.context[i], {}, false}, row.context[i]});
  }
  for (std::size_t i = 0; i < row.shared.index.size(); ++i) {
    FeatureName name = names.features[as_size(row.shared.index[i])];
    if (name.space.empty() && !row.context.empty()) name.space = std::string(1, 'x');
    out.push_back({std::move(name), row.shared.value[i]});
  }
  return out;
}

std::vector<NamedFeature> action_features(const LogRow& row, const LogNames& names, int place) {
  std::vector<NamedFeature> out;
  if (row.features.begin.empty()) {
    out.push_back({{"Action", "id", action_name(row.action(place), names), true}, 1.0});
    return out;
  }
  for (auto j = as_size(row.features.begin[as_size(place)]);
       j < as_size(row.features.begin[as_size(place) + 1]); ++j) {
    out.push_back({names.features[as_size(row.features.index[j])], row.features.value[j]});
  }
  return out;
}

}  // namespace rein
