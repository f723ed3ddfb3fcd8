#include "offpolicy/fixed_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text_number.h"
#include "offpolicy/at.h"

namespace rein {
namespace {

std::string_view unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

// What stands between `name(` and `)`; no value if the text has another form.
std::optional<std::string_view> inside(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || text.size() < name.size() + 2) return {};
  if (text[name.size()] != '(' || text.back() != ')') return {};
  return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

// Cuts at commas that are not inside quotes.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '"') quoted = !quoted;
    if (i < text.size() && (text[i] != ',' || quoted)) continue;
    out.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return out;
}

Result<int> action_of(const std::string& text, std::string_view name, int actions,
                      const std::vector<std::string>& names) {
  std::string accepted;
  for (int a = 0; a < actions; ++a) {
    const std::string known = names.empty() ? fmt::format("{}", a) : names[at(a)];
    if (known == name) return a;
    if (a < 20) accepted += (a == 0 ? "" : ", ") + known;
    if (a == 20) accepted += ", ...";
  }
  return Error{
      fmt::format("policy {}: the log has no action \"{}\"; accepted: {}", text, name, accepted)};
}

// One share per action of the log.
Result<std::vector<double>> shares_of(const std::string& text, std::string_view list, int actions,
                                      const std::vector<std::string>& names) {
  std::vector<double> out(at(actions), 0.0);
  double sum = 0.0;
  for (const std::string_view part : parts_of(list)) {
    const std::size_t split = part.rfind('=');
    double share = -1.0;
    const bool read =
        split != std::string_view::npos && to_number(trimmed(part.substr(split + 1)), share);
    if (!read || !(share >= 0.0 && share <= 1.0)) {
      return Error{fmt::format(
          "policy {}: found \"{}\"; accepted: NAME=SHARE with a share from 0 to 1", text, part)};
    }
    auto action = action_of(text, unquoted(trimmed(part.substr(0, split))), actions, names);
    if (!action) return action.failure();
    out[at(action.value())] += share;
    sum += share;
  }
  if (!(std::abs(sum - 1.0) <= 1e-9)) {
    return Error{fmt::format("policy {}: the shares sum to {}; accepted: 1", text, sum)};
  }
  return out;
}

std::vector<double> uniform_rows(const OfflineRows& rows) {
  std::vector<double> out(at(rows.rows) * at(rows.actions), 1.0 / rows.actions);
  for (std::int64_t row = 0; !rows.offered.empty() && row < rows.rows; ++row) {
    const std::uint8_t* offered = rows.offered.data() + row * rows.actions;
    const auto count =
        std::count_if(offered, offered + rows.actions, [](auto o) { return o != 0; });
    for (int a = 0; a < rows.actions; ++a) {
      out[at(row * rows.actions + a)] = offered[a] != 0 ? 1.0 / static_cast<double>(count) : 0.0;
    }
  }
  return out;
}

}  // namespace

Result<std::optional<std::vector<double>>> fixed_policy(const OfflineRows& rows,
                                                        const std::string& text,
                                                        const std::vector<std::string>& names) {
  using Found = std::optional<std::vector<double>>;
  if (text == "uniform") return Found(uniform_rows(rows));
  std::vector<double> shares(at(rows.actions), 0.0);
  if (const auto name = inside(text, "action")) {
    auto action = action_of(text, unquoted(*name), rows.actions, names);
    if (!action) return action.failure();
    shares[at(action.value())] = 1.0;
  } else if (const auto list = inside(text, "mix")) {
    auto found = shares_of(text, *list, rows.actions, names);
    if (!found) return found.failure();
    shares = std::move(found).value();
  } else {
    return Found();
  }
  std::vector<double> out;
  out.reserve(at(rows.rows) * at(rows.actions));
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    for (int a = 0; a < rows.actions; ++a) {
      if (shares[at(a)] > 0.0 && !rows.offered.empty() &&
          rows.offered[at(row * rows.actions + a)] == 0) {
        return Error{fmt::format(
            "policy {}: row {} did not offer action {}; accepted: actions that every row offers",
            text, row, names.empty() ? fmt::format("{}", a) : names[at(a)])};
      }
    }
    out.insert(out.end(), shares.begin(), shares.end());
  }
  return Found(std::move(out));
}

}  // namespace rein
