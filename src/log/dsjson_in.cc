// A log in dsjson: one JSON object per line. The order of its keys does not matter.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "log/dsjson_features.h"
#include "log/json_log.h"

namespace rein {
namespace {

// The numbers of a line besides its features.
struct Label {
  std::optional<double> cost, probability, pdrop;
  std::optional<std::int64_t> index, action;
  std::vector<std::int64_t> order;    // a
  std::vector<double> probabilities;  // p, in the order of a
  bool skip = false;
  bool after_context = false;  // a label key came after c
  void clear() {
    cost.reset();
    probability.reset();
    pdrop.reset();
    index.reset();
    action.reset();
    order.clear();
    probabilities.clear();
    skip = after_context = false;
  }
};

// Keys of the top level.
enum class Key {
  kOther,  // skipped
  kContext,
  kLabelCost,
  kLabelProbability,
  kLabelIndex,
  kLabelAction,
  kLabelOther,
  kOrder,
  kProbabilities,
  kDropped,
  kSkip,
  kCosts,
  kSlots,
  kId,
  kTime
};

Key key_of(std::string_view text) {
  static constexpr std::pair<std::string_view, Key> kKeys[] = {
      {"c", Key::kContext},
      {"_label_cost", Key::kLabelCost},
      {"_label_probability", Key::kLabelProbability},
      {"_labelIndex", Key::kLabelIndex},
      {"_label_Action", Key::kLabelAction},
      {"_label_action", Key::kLabelAction},
      {"a", Key::kOrder},
      {"p", Key::kProbabilities},
      {"pdrop", Key::kDropped},
      {"_skipLearn", Key::kSkip},
      {"_costs", Key::kCosts},
      {"_outcomes", Key::kSlots},
      {"EventId", Key::kId},
      {"Timestamp", Key::kTime},
  };
  for (const auto& [name, key] : kKeys) {
    if (name == text) return key;
  }
  return text.starts_with("_label") ? Key::kLabelOther : Key::kOther;
}

class DsjsonLog final : public JsonLog {
 public:
  DsjsonLog(LineFile file, const LogOptions& options)
      : JsonLog(std::move(file), options), features_(table_) {}

 private:
  Line read_line(JsonCursor& from, LogRow& row) override {
    label_.clear();
    if (!read(from, row)) return Line::kRefused;
    if (label_.skip) return Line::kSkipped;
    return use_label(row) ? Line::kKept : Line::kRefused;
  }

  bool read(JsonCursor& from, LogRow& row) {
    if (!from.take('{')) return false;
    bool has_context = false;
    std::size_t place = 0;
    for (bool first = true; from.more('}', first); ++place) {
      Key key = Key::kOther;
      if (!read_key(from, place, key)) return false;
      if (key == Key::kContext) {
        if (has_context) return refuse("twice", "found c twice; accepted: once");
        has_context = true;
        if (features_.read(from, ends(), buffer_)) continue;
        return !features_.wrong().empty() && refuse("features", features_.wrong());
      }
      if (!top_key(key, from, row, has_context)) return false;
    }
    if (!from.done()) return false;
    return has_context || refuse("no c", "found no c; accepted: an object with the context");
  }

  // A key and its colon. Most lines have the keys of the line before, byte for byte.
  bool read_key(JsonCursor& from, std::size_t place, Key& key) {
    const char* const start = from.at();
    if (place < keys_.size()) {
      const std::string& text = keys_[place].text;
      if (as_size(from.end() - start) > text.size() &&
          std::memcmp(start, text.data(), text.size()) == 0) {
        from.move_to(start + text.size());
        key = keys_[place].key;
        return true;
      }
    }
    std::string_view name;
    if (!from.key(name, key_room_)) return false;
    key = key_of(name);
    if (place == keys_.size() && place < kMostKeys) keys_.emplace_back();
    if (place < keys_.size()) keys_[place] = {std::string(start, from.at()), key};
    return true;
  }

  bool top_key(Key key, JsonCursor& from, LogRow& row, bool after) {
    switch (key) {
      case Key::kOrder:
        return from.wholes(label_.order);
      case Key::kProbabilities:
        return list(from, [&] { return from.number(label_.probabilities.emplace_back()); });
      case Key::kDropped:
        return from.number(label_.pdrop.emplace());
      case Key::kSkip:
        return from.boolean(label_.skip);
      case Key::kCosts:
        return read_costs(from);
      case Key::kSlots:
        return refuse("slots",
                      "found _outcomes: several slots per decision; accepted: one action each");
      case Key::kId:
        return from.peek() == '"' ? read_id(from) : from.skip();
      case Key::kTime:
        return from.peek() == '"' ? timestamp(from, row) : from.skip();
      case Key::kContext:
      case Key::kOther:
        return from.skip();
      default:
        return label_key(key, from, after);
    }
  }

  bool read_id(JsonCursor& from) {
    std::string_view text;
    if (!from.text(text, text_room_)) return false;
    buffer_.id = text;
    return true;
  }

  bool timestamp(JsonCursor& from, LogRow& row) {
    std::string_view text;
    if (!from.text(text, text_room_)) return false;
    if (read_timestamp(text, row.time)) return true;
    row.time = kNoTime;
    notes_.remark(row.line, "time", [&] {
      return fmt::format("Timestamp: found {}; accepted: 2026-01-31T23:59:59Z; the time is unknown",
                         quoted(text));
    });
    return true;
  }

  bool label_key(Key key, JsonCursor& from, bool after) {
    label_.after_context = label_.after_context || after;
    switch (key) {
      case Key::kLabelCost:
        return from.number(label_.cost.emplace());
      case Key::kLabelProbability:
        return from.number(label_.probability.emplace());
      case Key::kLabelIndex:
        return from.whole(label_.index.emplace());
      case Key::kLabelAction:
        return from.whole(label_.action.emplace());
      default:
        return from.skip();
    }
  }

  // The place of the played action, 0-based; -1 if the line does not name it.
  std::int64_t played() const {
    if (label_.index) return *label_.index;
    if (label_.action) return *label_.action - 1;
    return label_.order.empty() ? -1 : label_.order[0] - 1;
  }

  bool use_label(LogRow& row) {
    if (features_.actions() <= 0) {
      return refuse("no actions", "found no actions in c; accepted: _multi with one or more");
    }
    row.actions = features_.actions();
    if (!label_.cost) {
      return refuse("unlabelled", "found no _label_cost; accepted: a decision with its cost");
    }
    const std::int64_t place = played();
    if (place < 0 || place >= row.actions) {
      return refuse("action",
                    fmt::format("found played action {} (0-based) of {}; accepted: 0 to {}", place,
                                row.actions, row.actions - 1));
    }
    row.played = static_cast<int>(place);
    row.reward = 0.0 - *label_.cost;
    if (label_.index && label_.action && *label_.index + 1 != *label_.action) {
      notes_.remark(row.line, "two actions", [&] {
        return fmt::format("_labelIndex is {} and _label_Action is {}: the first decides",
                           *label_.index, *label_.action);
      });
    }
    if (label_.after_context) {
      notes_.remark(row.line, "label after c", [] {
        return std::string("the label stands after the context; Vowpal Wabbit loses it");
      });
    }
    if (features_.doubled()) remark_doubled(row);
    remark_costs(row);
    return use_probabilities(row) && use_weight(row);
  }

  // Probabilities come in the order of `a`; they are stored by place.
  bool use_probabilities(LogRow& row) {
    if (label_.probability) row.propensity = *label_.probability;
    if (!label_.probabilities.empty()) {
      const std::size_t count = as_size(row.actions);
      if (label_.order.size() != count || label_.probabilities.size() != count) {
        return refuse("p",
                      fmt::format("found {} probabilities and {} numbers in a; accepted: {}, one "
                                  "per action",
                                  label_.probabilities.size(), label_.order.size(), count));
      }
      buffer_.probabilities.assign(count, -1.0);
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t at = label_.order[i] - 1;
        if (at < 0 || at >= row.actions || buffer_.probabilities[as_size(at)] >= 0.0) {
          return refuse("a", fmt::format("a: found {} at {}; accepted: each of 1 to {} once",
                                         label_.order[i], i, count));
        }
        buffer_.probabilities[as_size(at)] = std::max(0.0, label_.probabilities[i]);
      }
      if (auto wrong = wrong_probabilities(label_.probabilities); !wrong.empty()) {
        return refuse("p sum", std::move(wrong));
      }
      const double own = buffer_.probabilities[as_size(row.played)];
      if (!label_.probability) row.propensity = own;
      if (std::abs(own - row.propensity) > 1e-4) {
        return refuse("two probabilities",
                      fmt::format("found _label_probability {} and {} in p; accepted: the same",
                                  row.propensity, own));
      }
    }
    return check_propensity(row,
                            "no probability: it is unknown. Vowpal Wabbit learns nothing from "
                            "such a decision");
  }

  bool use_weight(LogRow& row) {
    if (!label_.pdrop) return true;
    if (!(*label_.pdrop >= 0.0 && *label_.pdrop < 1.0)) {
      return refuse(
          "pdrop", fmt::format("pdrop: found {}; accepted: at least 0 and below 1", *label_.pdrop));
    }
    row.weight = 1.0 / (1.0 - *label_.pdrop);
    return true;
  }

  struct KeyText {
    std::string text;  // text of the key in the line, with the colon
    Key key = Key::kOther;
  };
  static constexpr std::size_t kMostKeys = 64;

  DsjsonFeatures features_;
  Label label_;
  std::vector<KeyText> keys_;  // of the line before, by place
};

}  // namespace

MadeReader read_dsjson_log(const std::string& path, const LogOptions& options) {
  auto opened = LineFile::open(path, kJsonMarks);
  if (!opened) return opened.failure();
  return std::make_unique<DsjsonLog>(std::move(opened).value(), options);
}

}  // namespace rein
