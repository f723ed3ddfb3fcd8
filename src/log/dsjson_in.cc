// A log in dsjson: one JSON object per line. The order of its keys does not matter.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "log/dsjson_features.h"
#include "log/line_file.h"
#include "log/notes.h"
#include "log/readers.h"

namespace rein {
namespace {

// What one line says besides features.
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

class DsjsonLog final : public LogReader {
 public:
  DsjsonLog(LineFile file, const LogOptions& options)
      : file_(std::move(file)),
        options_(options),
        notes_(file_.path()),
        table_(names_.features),
        features_(table_),
        costs_(names_.costs) {}

  Result<bool> next(LogRow& row) override {
    for (;;) {
      std::string_view text;
      auto more = file_.next(text);
      if (!more || !more.value()) return more;
      if (file_.mixed_ends() && !told_ends_) {
        told_ends_ = true;
        notes_.remark(file_.line(), "line ends",
                      [] { return std::string("lines end in LF and in CRLF; both are accepted"); });
      }
      if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
      row = LogRow();
      row.line = file_.line();
      buffer_.clear();
      buffer_.costs.resize(names_.costs.size(), kUnknown);
      label_.clear();
      table_.restart();
      kind_ = "json";
      if (!read(text, row) || !use_label(row)) {
        if (label_.skip) {
          notes_.skip();
        } else {
          notes_.refuse(row.line, kind_, [&] { return wrong_; });
        }
        continue;
      }
      buffer_.show(row);
      notes_.keep();
      return true;
    }
  }
  const LogNames& names() const override { return names_; }
  const LogReport& report() const override { return notes_.report(); }
  std::int64_t bytes_read() const override { return file_.position(); }
  std::int64_t bytes() const override { return file_.size(); }

 private:
  bool refuse(std::string_view kind, std::string why) {
    kind_ = kind;
    wrong_ = std::move(why);
    return false;
  }
  bool damaged(const JsonCursor& from, std::string_view text) {
    return refuse("json",
                  fmt::format("found no valid JSON at byte {}; accepted: one object per line",
                              from.at() - text.data() + 1));
  }

  bool read(std::string_view text, LogRow& row) {
    if (!is_utf8(text)) return refuse("utf8", "found bytes that are not UTF-8; accepted: UTF-8");
    JsonCursor from(text);
    if (!from.take('{')) return damaged(from, text);
    bool seen = false;
    std::string_view key;
    for (bool first = true; from.more('}', first);) {
      if (!from.key(key, key_room_)) return damaged(from, text);
      wrong_.clear();
      if (key == "c") {
        if (seen) return refuse("twice", "found c twice; accepted: once");
        seen = true;
        if (!features_.read(from, buffer_)) {
          return features_.wrong().empty() ? damaged(from, text)
                                           : refuse("features", features_.wrong());
        }
      } else if (!top_key(key, from, row, seen)) {
        return wrong_.empty() ? damaged(from, text) : false;
      }
    }
    if (!from.done()) return damaged(from, text);
    return seen || refuse("no c", "found no c; accepted: an object with the context");
  }

  // A key of the top level; those that are not known are skipped.
  bool top_key(std::string_view key, JsonCursor& from, LogRow& row, bool after) {
    if (key.starts_with("_label")) return label_key(key, from, after);
    if (key == "a") return list(from, [&] { return from.whole(label_.order.emplace_back()); });
    if (key == "p")
      return list(from, [&] { return from.number(label_.probabilities.emplace_back()); });
    if (key == "pdrop") return from.number(label_.pdrop.emplace());
    if (key == "_skipLearn") return from.boolean(label_.skip);
    if (key == "_costs") return costs(from);
    if (key == "_outcomes") {
      return refuse("slots",
                    "found _outcomes: several slots per decision; accepted: one action each");
    }
    if (key == "EventId" && from.peek() == '"') {
      std::string_view text;
      if (!from.text(text, text_room_)) return false;
      buffer_.id = text;
      return true;
    }
    if (key == "Timestamp" && from.peek() == '"') return timestamp(from, row);
    return from.skip();
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

  bool label_key(std::string_view key, JsonCursor& from, bool after) {
    label_.after_context = label_.after_context || after;
    if (key == "_label_cost") return from.number(label_.cost.emplace());
    if (key == "_label_probability") return from.number(label_.probability.emplace());
    if (key == "_labelIndex") return from.whole(label_.index.emplace());
    if (key == "_label_Action" || key == "_label_action")
      return from.whole(label_.action.emplace());
    return from.skip();
  }

  template <class Each>
  bool list(JsonCursor& from, const Each& each) {
    if (!from.take('[')) return false;
    for (bool first = true; from.more(']', first);) {
      if (!each()) return false;
    }
    return from.ok();
  }

  bool costs(JsonCursor& from) {
    if (!from.take('{')) return false;
    std::string_view key;
    for (bool first = true; from.more('}', first);) {
      if (!from.key(key, key_room_)) return false;
      if (from.peek() == 'n') {
        if (!from.null()) return false;
        continue;
      }
      const bool full = names_.costs.size() >= as_size(kMaxCosts);
      const std::int32_t number = full ? costs_.find(key) : costs_.number(key);
      if (number < 0) {
        return refuse("costs", fmt::format("found more than {} costs; accepted: fewer", kMaxCosts));
      }
      buffer_.costs.resize(names_.costs.size(), kUnknown);
      if (!from.number(buffer_.costs[as_size(number)])) return false;
    }
    return from.ok();
  }

  // The place of the played action, 0-based; -1 if the line does not say it.
  std::int64_t played() const {
    if (label_.index) return *label_.index;
    if (label_.action) return *label_.action - 1;
    return label_.order.empty() ? -1 : label_.order[0] - 1;
  }

  bool use_label(LogRow& row) {
    if (label_.skip) return false;
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
    if (features_.doubled()) {
      notes_.remark(row.line, "feature twice",
                    [] { return std::string("a feature comes twice: its values are added"); });
    }
    for (std::size_t i = 0; i < buffer_.costs.size(); ++i) {
      if (!std::isnan(buffer_.costs[i])) continue;
      notes_.remark(row.line, names_.costs[i],
                    [&] { return fmt::format("no cost \"{}\" came", names_.costs[i]); });
    }
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
    if (std::isnan(row.propensity)) {
      notes_.remark(row.line, "no probability", [] {
        return std::string(
            "no probability: it is unknown. Vowpal Wabbit learns nothing from such a "
            "decision");
      });
      return true;
    }
    auto wrong = wrong_propensity(row.propensity, options_.least_propensity);
    return wrong.empty() || refuse("probability", std::move(wrong));
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

  LineFile file_;
  LogOptions options_;
  Notes notes_;
  LogNames names_;
  FeatureTable table_;
  DsjsonFeatures features_;
  NameTable costs_;
  RowBuffer buffer_;
  Label label_;
  std::string_view kind_;
  std::string wrong_, key_room_, text_room_;
  bool told_ends_ = false;
};

}  // namespace

MadeReader read_dsjson_log(const std::string& path, const LogOptions& options) {
  auto opened = LineFile::open(path);
  if (!opened) return opened.failure();
  return std::make_unique<DsjsonLog>(std::move(opened).value(), options);
}

}  // namespace rein
