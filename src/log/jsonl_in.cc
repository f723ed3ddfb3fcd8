// A log in JSON lines: one object per line, with the keys of `rein export --format jsonl`.
#include <fmt/format.h>

#include <cmath>

#include "log/json_log.h"
#include "log/jsonl_offer.h"

namespace rein {
namespace {

class JsonlLog final : public JsonLog {
 public:
  JsonlLog(LineFile file, const LogOptions& options)
      : JsonLog(std::move(file), options),
        offer_((names_.actions = options.actions, names_.actions)),
        unit_(options.unit),
        top_(table_.space({})) {}

 private:
  Line read_line(JsonCursor& from, LogRow& row) override {
    buffer_.shared.begin_list();
    buffer_.begin.push_back(0);
    buffer_.context.assign(names_.context.size(), kUnknown);
    offer_.clear();
    seen_context_ = 0;
    state_.clear();
    if (!read(from, row) || refused()) return Line::kRefused;
    if (state_ == "cancelled") return Line::kSkipped;
    return use(row) ? Line::kKept : Line::kRefused;
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
    if (key == unit_ && !unit_.empty()) return unit(from) && (key != "id" || take_id());
    if (key == "scopes" && unit_.starts_with(kScope)) return scopes(from);
    if (key == "action") return offer_.has_action = offer_.read(from, offer_.played, text_room_);
    if (key == "probability") return maybe(from, row.propensity);
    if (key == "reward") return maybe(from, row.reward);
    if (key == "weight") return from.number(row.weight);
    if (key == "costs") return read_costs(from);
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
      offer_.has_actions = true;
      return list(from, [&] { return offer_.read(from, offer_.given.emplace_back(), text_room_); });
    }
    if (key == "probabilities") {
      return list(from, [&] { return from.number(buffer_.probabilities.emplace_back()); });
    }
    return from.skip();
  }

  // A text, or a number as it stands.
  bool unit(JsonCursor& from) {
    if (from.peek() == '"') {
      std::string_view text;
      if (!from.text(text, text_room_)) return false;
      buffer_.unit = text;
      return true;
    }
    const char* const start = from.at();
    if (!from.skip()) return false;
    buffer_.unit = {start, from.at()};
    return true;
  }
  bool take_id() {
    buffer_.id = buffer_.unit;
    return true;
  }
  bool scopes(JsonCursor& from) {
    if (!from.take('{')) return false;
    std::string_view key;
    for (bool first = true; from.more('}', first);) {
      if (!from.key(key, key_room_)) return false;
      if (!(key == std::string_view(unit_).substr(kScope.size()) ? unit(from) : from.skip()))
        return false;
    }
    return from.ok();
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
    fixed_context_ = true;
    for (const double each : buffer_.context) {
      if (!std::isnan(each)) continue;
      return refuse("missing column",
                    "context: a column of the first row is missing; accepted: all");
    }
    if (buffer_.shared.end_list()) remark_doubled(row);
    const auto [kind, why] = offer_.use(row, buffer_);
    if (!kind.empty()) return refuse(kind, why);
    return use_probabilities(row) && use_numbers(row) && use_features(row);
  }

  bool use_probabilities(LogRow& row) {
    const auto& p = buffer_.probabilities;
    if (p.empty()) return true;
    if (p.size() != offer_.given.size()) {
      return refuse("probabilities",
                    fmt::format("found {} probabilities; accepted: {}, one per action", p.size(),
                                offer_.given.size()));
    }
    if (auto wrong = wrong_probabilities(p); !wrong.empty()) return refuse("sum", std::move(wrong));
    const double own = p[as_size(row.played)];
    if (std::isnan(row.propensity)) row.propensity = own;
    if (std::abs(own - row.propensity) <= 1e-6) return true;
    return refuse("two propensities",
                  fmt::format("found probability {} and {} among the probabilities; accepted: the "
                              "same",
                              row.propensity, own));
  }

  bool use_numbers(const LogRow& row) {
    if (!check_propensity(row, "no probability: it is unknown")) return false;
    if (!(row.weight > 0.0)) {
      return refuse("weight", fmt::format("weight: found {}; accepted: above 0", row.weight));
    }
    if (std::isnan(row.reward)) {
      notes_.remark(row.line, "missing reward", [] { return std::string("no reward came"); });
    }
    remark_costs(row);
    if (unit_.empty() || !buffer_.unit.empty()) return true;
    return refuse("unit",
                  fmt::format("{}: found nothing; accepted: what the row belongs to", unit_));
  }

  bool use_features(const LogRow& row) {
    const std::size_t lists = buffer_.begin.size() - 1;
    if (lists == 0 || lists == as_size(row.actions)) return true;
    return refuse("features", fmt::format("features: found {} lists; accepted: {}, one per action",
                                          lists, row.actions));
  }

  static constexpr std::string_view kScope = "scope.";
  JsonlOffer offer_;
  std::string unit_;  // of the options
  std::int32_t top_;  // the namespace without a name
  std::string state_;
  std::size_t seen_context_ = 0;
  bool fixed_context_ = false;  // the first row has decided its columns
};

}  // namespace

MadeReader read_jsonl_log(const std::string& path, const LogOptions& options) {
  auto opened = LineFile::open(path);
  if (!opened) return opened.failure();
  return std::make_unique<JsonlLog>(std::move(opened).value(), options);
}

}  // namespace rein
