#include "log/json_log.h"

#include <fmt/format.h>

#include <cmath>

namespace rein {

JsonLog::JsonLog(LineFile file, const LogOptions& options)
    : options_(options),
      table_(names_.features, FeatureTable::Style::kJson),
      file_(std::move(file)),
      notes_(file_.path()),
      costs_(names_.costs) {}

Result<bool> JsonLog::next(LogRow& row) {
  for (;;) {
    std::string_view text;
    auto found_line = file_.next(text, ends_);
    if (!found_line || !found_line.value()) return found_line;
    if (file_.mixed_ends() && !told_ends_) {
      told_ends_ = true;
      notes_.say(file_.line(), "line ends",
                 [] { return std::string("lines end in LF and in CRLF; both are accepted"); });
    }
    if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
    row = LogRow();
    row.line = file_.line();
    buffer_.clear();
    buffer_.costs.resize(names_.costs.size(), kUnknown);
    table_.restart();
    wrong_.clear();
    JsonCursor from(text);
    Line line = Line::kRefused;
    if (file_.is_ascii() || is_utf8(text)) {
      line = read_line(from, row);
    } else {
      refuse("utf8", "found bytes that are not UTF-8; accepted: UTF-8");
    }
    if (line == Line::kSkipped) {
      notes_.skip();
    } else if (line == Line::kRefused) {
      if (!refused()) {
        refuse("json", fmt::format("found no valid JSON at byte {}; accepted: one object per line",
                                   from.at() - text.data() + 1));
      }
      notes_.refuse(row.line, kind_, [&] { return wrong_; });
    } else {
      buffer_.show(row);
      notes_.keep();
      return true;
    }
  }
}

bool JsonLog::refuse(std::string_view kind, std::string why) {
  if (!wrong_.empty()) return false;
  kind_ = kind;
  wrong_ = std::move(why);
  return false;
}

bool JsonLog::maybe(JsonCursor& from, double& out) {
  out = kUnknown;
  return from.peek() == 'n' ? from.null() : from.number(out);
}

bool JsonLog::read_costs(JsonCursor& from) {
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

void JsonLog::remark_costs(const LogRow& row) {
  for (std::size_t i = 0; i < buffer_.costs.size(); ++i) {
    if (!std::isnan(buffer_.costs[i])) continue;
    notes_.remark(row.line, names_.costs[i],
                  [&] { return fmt::format("no cost \"{}\" came", names_.costs[i]); });
  }
}

void JsonLog::remark_doubled(const LogRow& row) {
  notes_.remark(row.line, "feature twice",
                [] { return std::string("a feature comes twice: its values are added"); });
}

bool JsonLog::check_propensity(const LogRow& row, const char* unknown) {
  if (std::isnan(row.propensity)) {
    notes_.remark(row.line, "no probability", [&] { return std::string(unknown); });
    return true;
  }
  auto wrong = wrong_propensity(row.propensity, options_.least_propensity);
  return wrong.empty() || refuse("probability", std::move(wrong));
}

}  // namespace rein
