// Writes JSON lines with the keys of `rein export --format jsonl`, and `shared` and `weight`.
#include <fmt/format.h>

#include <cmath>

#include "log/text_writer.h"

namespace rein {
namespace {

class JsonlWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

  Result<> add(const LogRow& row, const LogNames& names) override {
    JsonWriter json;
    fits_ = true;
    json.begin_object();
    if (!row.id.empty()) json.key("id").value(row.id);
    json.key("action");
    action(json, row.action(), names);
    json.key("probability").value(row.propensity);  // null if it is unknown
    if (row.actions > 0) {
      json.key("actions").begin_array();
      for (int place = 0; place < row.actions; ++place) action(json, row.action(place), names);
      json.end_array();
    }
    if (!row.probabilities.empty()) {
      json.key("probabilities").begin_array();
      for (const double p : row.probabilities) json.value(p);
      json.end_array();
    }
    context(json, row, names);
    if (!row.features.begin.empty()) {
      json.key("features").begin_array();
      for (int place = 0; place < row.actions; ++place) {
        const auto from = as_size(row.features.begin[as_size(place)]);
        const auto to = as_size(row.features.begin[as_size(place) + 1]);
        features(json, row.features.index.subspan(from, to - from),
                 row.features.value.subspan(from, to - from), names);
      }
      json.end_array();
    }
    json.key("reward").value(row.reward).key("costs").begin_object();
    for (std::size_t i = 0; i < row.costs.size(); ++i) json.key(names.costs[i]).value(row.costs[i]);
    json.end_object();
    if (row.weight != 1.0) json.key("weight").value(row.weight);
    if (!fits_) {
      notes_.refuse(row.line, "space", [] {
        return std::string("a namespace with ^; accepted in JSON lines: other names");
      });
      return {};
    }
    sink_.text().append(json.str());
    // A time has more digits than a double.
    if (row.time != kNoTime) sink_.text().append(",\"at\":").append(write_seconds(row.time));
    sink_.text().append("}\n");
    notes_.keep();
    return sink_.flush_some();
  }

 private:
  static void action(JsonWriter& json, std::int32_t id, const LogNames& names) {
    if (names.actions.empty()) {
      json.value(static_cast<std::int64_t>(id));
    } else {
      json.value(names.actions[as_size(id)]);
    }
  }

  void context(JsonWriter& json, const LogRow& row, const LogNames& names) {
    if (!row.context.empty()) {
      json.key("context").begin_object();
      for (std::size_t i = 0; i < row.context.size(); ++i) {
        json.key(names.context[i]).value(row.context[i]);
      }
      json.end_object();
    }
    if (row.shared.index.empty()) return;
    json.key("shared");
    features(json, row.shared.index, row.shared.value, names);
  }

  // `space^name`: a number, or a text for a category.
  void features(JsonWriter& json, std::span<const std::int32_t> index,
                std::span<const double> value, const LogNames& names) {
    json.begin_object();
    for (std::size_t j = 0; j < index.size(); ++j) {
      const FeatureName& name = names.features[as_size(index[j])];
      fits_ =
          fits_ && name.space.find('^') == std::string::npos && (!name.category || value[j] == 1.0);
      const bool bare = name.space.empty() && name.name.find('^') == std::string::npos;
      json.key(bare ? name.name : name.space + '^' + name.name);
      if (name.category) {
        json.value(name.value);
      } else {
        json.value(value[j]);
      }
    }
    json.end_object();
  }

  bool fits_ = true;
};

}  // namespace

MadeWriter write_jsonl_log(const std::string& path) { return text_writer<JsonlWriter>(path); }

}  // namespace rein
