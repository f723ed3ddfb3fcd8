// Writes dsjson: one object per line, its keys in the order that Vowpal Wabbit needs.
#include <fmt/format.h>

#include <cmath>

#include "log/text_writer.h"

namespace rein {
namespace {

// The place of `[7]`; -1 if it is another name.
std::int64_t place_of(const FeatureName& name) {
  const std::string& text = name.name;
  if (name.category || text.size() < 3 || text.size() > 8 || text.front() != '[' ||
      text.find_first_not_of("0123456789", 1) != text.size() - 1 || text.back() != ']') {
    return -1;
  }
  return std::stoll(text.substr(1));
}

class DsjsonWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

  Result<> add(const LogRow& row, const LogNames& names) override {
    JsonWriter json;
    fits_ = true;
    json.begin_object();
    const int actions = offers_of(row, names);
    if (!std::isnan(row.reward)) {
      json.key("_label_cost").value(0.0 - row.reward);
      if (!std::isnan(row.propensity)) json.key("_label_probability").value(row.propensity);
      json.key("_label_Action").value(row.played + 1).key("_labelIndex").value(row.played);
    }
    json.key("Version").value("1");
    if (!row.id.empty()) json.key("EventId").value(row.id);
    if (row.time != kNoTime) json.key("Timestamp").value(write_timestamp(row.time));
    json.key("a").begin_array();
    in_order(row, actions, [&](int place) { json.value(place + 1); });
    json.end_array().key("c").begin_object();
    features(json, context_features(row, names));
    json.key("_multi").begin_array();
    for (int place = 0; place < actions; ++place) {
      json.begin_object();
      features(json, action_features(row, names, place));
      json.end_object();
    }
    json.end_array().end_object();
    if (!row.probabilities.empty()) {
      json.key("p").begin_array();
      in_order(row, actions, [&](int place) { json.value(row.probabilities[as_size(place)]); });
      json.end_array();
    }
    tail(json, row, names);
    json.end_object();
    return write(json, row);
  }

 private:
  Result<> write(const JsonWriter& json, const LogRow& row) {
    if (!fits_) {
      notes_.refuse(row.line, "underscore", [] {
        return std::string("a feature whose name begins with _; accepted in dsjson: other names");
      });
      return {};
    }
    notes_.keep();
    sink_.text().append(json.str()).append("\n");
    return sink_.flush_some();
  }

  // The played action first.
  template <class Each>
  static void in_order(const LogRow& row, int actions, const Each& each) {
    each(row.played);
    for (int place = 0; place < actions; ++place) {
      if (place != row.played) each(place);
    }
  }

  void tail(JsonWriter& json, const LogRow& row, const LogNames& names) {
    if (row.weight > 1.0) {
      json.key("pdrop").value(1.0 - 1.0 / row.weight);
    } else {
      remark_lost(row, false, true, false, "dsjson, for weights below 1,");
    }
    bool any = false;
    for (std::size_t i = 0; i < row.costs.size(); ++i) {
      if (std::isnan(row.costs[i])) continue;
      if (!any) json.key("_costs").begin_object();
      any = true;
      json.key(names.costs[i]).value(row.costs[i]);
    }
    if (any) json.end_object();
  }

  void features(JsonWriter& json, const std::vector<NamedFeature>& list) {
    by_space(list, [&](const std::string& space, const auto& group) {
      if (!space.empty()) {
        fits_ = fits_ && space[0] != '_';
        json.key(space);
        if (numbers(json, group)) return;
        json.begin_object();
      }
      for (const NamedFeature* feature : group) {
        const FeatureName& name = feature->name;
        fits_ = fits_ && !name.name.starts_with('_');
        json.key(name.name);
        if (name.category && feature->value == 1.0) {
          json.value(name.value);
        } else if (name.category) {
          fits_ = false;  // a category has no number
          json.null();
        } else {
          json.value(feature->value);
        }
      }
      if (!space.empty()) json.end_object();
    });
  }

  // A namespace whose names are all places is a list of numbers.
  static bool numbers(JsonWriter& json, const std::vector<const NamedFeature*>& group) {
    constexpr std::int64_t kLongest = 100000;
    std::vector<double> values;
    for (const NamedFeature* feature : group) {
      const std::int64_t place = place_of(feature->name);
      if (place < 0 || place >= kLongest) return false;
      if (values.size() <= as_size(place)) values.resize(as_size(place) + 1, 0.0);
      values[as_size(place)] = feature->value;
    }
    json.begin_array();
    for (const double value : values) json.value(value);
    json.end_array();
    return true;
  }

  bool fits_ = true;
};

}  // namespace

MadeWriter write_dsjson_log(const std::string& path) { return text_writer<DsjsonWriter>(path); }

}  // namespace rein
