// A log in JSON lines: one object per line, with the keys of `rein export --format jsonl`.
#include <fmt/format.h>

#include <cmath>

#include "log/json_cursor.h"
#include "log/line_file.h"
#include "log/name_table.h"
#include "log/notes.h"
#include "log/readers.h"
#include "log/row_buffer.h"

namespace rein {
namespace {

// An action as the line has it: a text or a whole number.
struct GivenAction {
  bool number = false;
  std::string text;
};

class JsonlLog final : public LogReader {
 public:
  JsonlLog(LineFile file, const LogOptions& options)
      : file_(std::move(file)),
        options_(options),
        notes_(file_.path()),
        actions_((names_.actions = options.actions, names_.actions)),
        costs_(names_.costs),
        table_(names_.features),
        top_(table_.space({})) {}

  Result<bool> next(LogRow& row) override {
    for (;;) {
      std::string_view text;
      auto more = file_.next(text);
      if (!more || !more.value()) return more;
      if (file_.mixed_ends() && !told_ends_) {
        told_ends_ = true;
        notes_.say(file_.line(), "line ends",
                   [] { return std::string("lines end in LF and in CRLF; both are accepted"); });
      }
      if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
      start(row);
      wrong_.clear();
      JsonCursor from(text);
      if (!is_utf8(text)) {
        refuse("utf8", "found bytes that are not UTF-8; accepted: UTF-8");
      } else if (!read(from, row) && wrong_.empty()) {
        refuse("json", fmt::format("found no valid JSON at byte {}; accepted: one object per line",
                                   from.at() - text.data() + 1));
      } else if (wrong_.empty() && state_ == "cancelled") {
        notes_.skip();
        continue;
      }
      if (!wrong_.empty() || !use(row)) {
        notes_.refuse(row.line, kind_, [&] { return wrong_; });
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

  void start(LogRow& row) {
    row = LogRow();
    row.line = file_.line();
    buffer_.clear();
    buffer_.costs.resize(names_.costs.size(), kUnknown);
    buffer_.shared.begin_list();
    buffer_.begin.push_back(0);
    table_.restart();
    given_.clear();
    played_ = {};
    has_action_ = has_actions_ = false;
    seen_context_ = 0;
    buffer_.context.assign(names_.context.size(), kUnknown);
    state_.clear();
  }

  bool read(JsonCursor& from, LogRow& row) {
    if (!from.take('{')) return false;
    std::string_view key;
    for (bool first = true; from.more('}', first);) {
      if (!from.key(key, key_room_) || !read_key(key, from, row)) return false;
    }
    return from.done();
  }

  bool read_key(std::string_view key, JsonCursor& from, LogRow& row) {
    if (key == "action") return has_action_ = action(from, played_);
    if (key == "probability") return maybe(from, row.propensity);
    if (key == "reward") return maybe(from, row.reward);
    if (key == "weight") return from.number(row.weight);
    if (key == "costs") return costs(from);
    if (key == "context") return context(from);
    if (key == "shared") return object(from, buffer_.shared);
    if (key == "features") return features(from);
    if (key == "at") return time(from, row);
    if (key == "id" || key == "state") {
      std::string_view text;
      if (!from.text(text, text_room_)) return false;
      (key == "id" ? buffer_.id : state_) = text;
      return true;
    }
    if (key == "actions") {
      has_actions_ = true;
      return list(from, [&] { return action(from, given_.emplace_back()); });
    }
    if (key == "probabilities") {
      return list(from, [&] { return from.number(buffer_.probabilities.emplace_back()); });
    }
    return from.skip();
  }

  template <class Each>
  static bool list(JsonCursor& from, const Each& each) {
    if (!from.take('[')) return false;
    for (bool first = true; from.more(']', first);) {
      if (!each()) return false;
    }
    return from.ok();
  }

  // A number, or null: unknown.
  static bool maybe(JsonCursor& from, double& out) {
    out = kUnknown;
    return from.peek() == 'n' ? from.null() : from.number(out);
  }

  bool action(JsonCursor& from, GivenAction& out) {
    if (from.peek() == '"') {
      std::string_view text;
      if (!from.text(text, text_room_)) return false;
      out.text = text;
      return true;
    }
    std::int64_t whole = 0;
    out.number = true;
    if (!from.whole(whole)) return false;
    out.text = std::to_string(whole);
    return true;
  }

  bool time(JsonCursor& from, LogRow& row) {
    from.peek();
    const char* const start = from.at();
    double ignored = 0.0;
    if (!from.number(ignored)) return false;
    if (read_seconds({start, static_cast<std::size_t>(from.at() - start)}, row.time)) return true;
    return refuse("at",
                  "at: found a number that is no time; accepted: seconds since 1970 with up to "
                  "nine decimals");
  }

  bool costs(JsonCursor& from) {
    if (!from.take('{')) return false;
    std::string_view key;
    for (bool first = true; from.more('}', first);) {
      if (!from.key(key, key_room_)) return false;
      const bool full = names_.costs.size() >= as_size(kMaxCosts);
      const std::int32_t number = full ? costs_.find(key) : costs_.number(key);
      if (number < 0) {
        return refuse("costs", fmt::format("found more than {} costs; accepted: fewer", kMaxCosts));
      }
      buffer_.costs.resize(names_.costs.size(), kUnknown);
      if (!maybe(from, buffer_.costs[as_size(number)])) return false;
    }
    return from.ok();
  }

  // Numbers are the dense context; its columns are those of the first row. Texts are categories.
  bool context(JsonCursor& from) {
    if (from.peek() == '[') {
      std::size_t place = 0;
      return list(from, [&] { return column(std::to_string(place++), from); });
    }
    if (!from.take('{')) return false;
    std::string_view key;
    for (bool first = true; from.more('}', first);) {
      if (!from.key(key, key_room_)) return false;
      if (from.peek() != '"') {
        if (!column(key, from)) return false;
        continue;
      }
      std::string_view text;
      if (!from.text(text, text_room_) ||
          !add(buffer_.shared, table_.number(top_, key, text), 1.0)) {
        return false;
      }
    }
    return from.ok();
  }

  bool column(std::string_view name, JsonCursor& from) {
    double value = 0.0;
    if (!from.number(value)) return false;
    // Rows have their columns in the same order, mostly.
    std::size_t at = seen_context_++;
    if (at >= names_.context.size() || names_.context[at] != name) {
      at = static_cast<std::size_t>(std::ranges::find(names_.context, name) -
                                    names_.context.begin());
    }
    if (at == names_.context.size()) {
      if (fixed_context_) {
        return refuse("column",
                      fmt::format("context: found {}; accepted: the {} columns of the first row",
                                  quoted(name), names_.context.size()));
      }
      names_.context.emplace_back(name);
      buffer_.context.push_back(kUnknown);
    }
    if (!std::isnan(buffer_.context[at])) {
      return refuse("column twice",
                    fmt::format("context: found {} twice; accepted: once", quoted(name)));
    }
    buffer_.context[at] = value;
    return true;
  }

  bool add(FeatureList& out, std::int32_t number, double value) {
    if (number < 0 || out.size() >= kMaxLogFeatures) {
      return refuse("features",
                    fmt::format("found more than {} different features, {} namespaces or {} "
                                "features in one row; accepted: fewer",
                                kMaxLogNames, kMaxLogSpaces, kMaxLogFeatures));
    }
    if (value != 0.0) out.add(number, value);
    return true;
  }

  // `space^name`: a number, or a text for a category.
  bool object(JsonCursor& from, FeatureList& out) {
    if (!from.take('{')) return false;
    std::string_view key;
    for (bool first = true; from.more('}', first);) {
      if (!from.key(key, key_room_)) return false;
      const std::size_t mark = key.find('^');
      const bool bare = mark == std::string_view::npos;
      const std::int32_t space = bare ? top_ : table_.space(key.substr(0, mark));
      const std::string_view name = bare ? key : key.substr(mark + 1);
      double value = 1.0;
      std::string_view text;
      if (from.peek() == '"') {
        if (!from.text(text, text_room_) || !add(out, table_.number(space, name, text), 1.0))
          return false;
      } else if (!from.number(value) || !add(out, table_.number(space, name), value)) {
        return false;
      }
    }
    return from.ok();
  }

  bool features(JsonCursor& from) {
    return list(from, [&] {
      FeatureList& out = buffer_.features;
      out.begin_list();
      std::size_t place = 0;
      double value = 0.0;
      const bool read = from.peek() == '{' ? object(from, out) : list(from, [&] {
        return from.number(value) && add(out, table_.number(top_, std::to_string(place++)), value);
      });
      out.end_list();
      buffer_.begin.push_back(static_cast<std::int32_t>(out.size()));
      return read;
    });
  }

  bool use(LogRow& row) {
    if (!has_action_) return refuse("no action", "found no action; accepted: its name or number");
    fixed_context_ = true;
    for (const double each : buffer_.context) {
      if (std::isnan(each)) {
        return refuse("missing column",
                      "context: a column of the first row is missing; accepted: all");
      }
    }
    if (buffer_.shared.end_list()) {
      notes_.remark(row.line, "feature twice",
                    [] { return std::string("a feature comes twice: its values are added"); });
    }
    if (has_actions_ && given_.empty())
      return refuse("no actions", "actions: found none; accepted: one or more");
    return use_actions(row) && use_numbers(row) && use_features(row);
  }

  // The id of an action; -1 if it is refused.
  std::int32_t id_of(const GivenAction& given) {
    if (numbered_) {
      std::int64_t id = -1;
      std::from_chars(given.text.data(), given.text.data() + given.text.size(), id);
      if (given.number && id >= 0 && id < kMaxActions) return static_cast<std::int32_t>(id);
      refuse("action",
             fmt::format("found action {}; accepted: a number from 0 on, as in the first row",
                         quoted(given.text)));
      return -1;
    }
    const std::int32_t id =
        options_.actions.empty() ? actions_.number(given.text) : actions_.find(given.text);
    if (id < 0)
      refuse("action", fmt::format("found action {}; accepted: those given", quoted(given.text)));
    return id;
  }

  bool use_actions(LogRow& row) {
    if (!decided_) {
      decided_ = true;
      numbered_ = has_actions_ && played_.number && options_.actions.empty();
      all_offered_ = !has_actions_;
    }
    if (has_actions_ == all_offered_) {
      return refuse("offers",
                    all_offered_
                        ? "found actions; accepted: none, as in the first row"
                        : "found no actions; accepted: those offered, as in the first row");
    }
    bool plain = numbered_;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const std::int32_t id = id_of(given_[i]);
      if (id < 0) return false;
      if (std::ranges::find(buffer_.offered, id) != buffer_.offered.end()) {
        return refuse("twice", fmt::format("actions: found {} twice; accepted: once",
                                           quoted(given_[i].text)));
      }
      plain = plain && as_size(id) == i;
      buffer_.offered.push_back(id);
    }
    const std::int32_t played = id_of(played_);
    if (played < 0) return false;
    row.played = played;
    if (all_offered_) return true;
    const auto at = std::ranges::find(buffer_.offered, played);
    if (at == buffer_.offered.end()) {
      return refuse("not offered", fmt::format("found action {}, which is not among those offered",
                                               quoted(played_.text)));
    }
    row.actions = static_cast<int>(given_.size());
    row.played = static_cast<int>(at - buffer_.offered.begin());
    if (plain) buffer_.offered.clear();
    return true;
  }

  bool use_numbers(LogRow& row) {
    auto& p = buffer_.probabilities;
    if (!p.empty()) {
      if (p.size() != given_.size()) {
        return refuse("probabilities",
                      fmt::format("found {} probabilities; accepted: {}, one per action", p.size(),
                                  given_.size()));
      }
      if (auto wrong = wrong_probabilities(p); !wrong.empty())
        return refuse("sum", std::move(wrong));
      const double own = p[as_size(row.played)];
      if (std::isnan(row.propensity)) row.propensity = own;
      if (std::abs(own - row.propensity) > 1e-6) {
        return refuse(
            "two propensities",
            fmt::format("found probability {} and {} among the probabilities; accepted: the same",
                        row.propensity, own));
      }
    }
    if (std::isnan(row.propensity)) {
      notes_.remark(row.line, "no probability",
                    [] { return std::string("no probability: it is unknown"); });
    } else if (auto wrong = wrong_propensity(row.propensity, options_.least_propensity);
               !wrong.empty()) {
      return refuse("probability", std::move(wrong));
    }
    if (!(row.weight > 0.0)) {
      return refuse("weight", fmt::format("weight: found {}; accepted: above 0", row.weight));
    }
    if (std::isnan(row.reward)) {
      notes_.remark(row.line, "missing reward", [] { return std::string("no reward came"); });
    }
    for (std::size_t i = 0; i < buffer_.costs.size(); ++i) {
      if (!std::isnan(buffer_.costs[i])) continue;
      notes_.remark(row.line, names_.costs[i],
                    [&] { return fmt::format("no cost \"{}\" came", names_.costs[i]); });
    }
    return true;
  }

  bool use_features(const LogRow& row) {
    const std::size_t lists = buffer_.begin.size() - 1;
    if (lists == 0 || lists == as_size(row.actions)) return true;
    return refuse("features", fmt::format("features: found {} lists; accepted: {}, one per action",
                                          lists, row.actions));
  }

  LineFile file_;
  LogOptions options_;
  Notes notes_;
  LogNames names_;
  NameTable actions_, costs_;
  FeatureTable table_;
  std::int32_t top_;
  RowBuffer buffer_;
  std::vector<GivenAction> given_;
  GivenAction played_;
  std::string state_, wrong_, key_room_, text_room_;
  std::string_view kind_;
  std::size_t seen_context_ = 0;
  bool has_action_ = false, has_actions_ = false;
  bool decided_ = false, numbered_ = false, all_offered_ = false;  // by the first row
  bool fixed_context_ = false;
  bool told_ends_ = false;
};

}  // namespace

MadeReader read_jsonl_log(const std::string& path, const LogOptions& options) {
  auto opened = LineFile::open(path);
  if (!opened) return opened.failure();
  return std::make_unique<JsonlLog>(std::move(opened).value(), options);
}

}  // namespace rein
