#include "live.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "numbers.h"

namespace rein::app {
namespace {

constexpr const char* kGroup = "Live budgets and feedback";

// Calls take(name, number as text) for every NAME=NUMBER.
template <class Take>
void each_pair(const char* option, const std::vector<std::string>& texts, const Take& take) {
  for (std::string_view rest : texts) {
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view pair = rest.substr(0, comma);
      const std::size_t equals = pair.rfind('=');
      if (equals == 0 || equals == std::string_view::npos) {
        throw UsageError(
            fmt::format("{}: found \"{}\"; accepted: NAME=NUMBER, as reward=0.4", option, pair));
      }
      take(std::string(pair.substr(0, equals)), std::string(pair.substr(equals + 1)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
}

double share(const std::string& text) {
  double number = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code == std::errc() && end == text.data() + text.size() && number >= 0.0 && number <= 1.0) {
    return number;
  }
  throw UsageError(fmt::format("--missing: found \"{}\"; accepted: a share from 0 to 1", text));
}

CLI::Option* add_pairs(CLI::App& verb, const char* name, std::vector<std::string>& words,
                       const char* line, const char* type) {
  return verb.add_option(name, words, line)
      ->type_name(type)
      ->take_all()
      ->allow_extra_args(false)
      ->group(kGroup);
}

}  // namespace

void add_live(CLI::App& verb, LiveWords& words) {
  add_pairs(
      verb, "--budget", words.budgets,
      "NAME(cost=...,amount=...,per=\"100 rounds\"): a budget with a window; may be repeated. "
      "per is run, day, week, month, \"N rounds\", \"N ticks\" or \"last N ticks\". Others: "
      "hard=1, "
      "carry=1, hold=, zone=, scope=, rounds= (docs/budgets.md)",
      "SPEC");
  add_pairs(
      verb, "--missing", words.missing,
      "the share of rounds in which a part of the outcome never comes, as reward=0.4,cost=0.1",
      "PART=SHARE");
  add_pairs(verb, "--late", words.late,
            "the rounds by which a part of the outcome is late, as reward=500 [--delay]", "PART=N");
  add_pairs(verb, "--keys", words.keys,
            "how many keys a scope of the budgets has, as user=100; each decision is for one of "
            "them, drawn at random",
            "SCOPE=N");
  verb.add_option("--ticks", words.ticks,
                  "ticks of the clock per round; in windows of the calendar a tick is a second")
      ->type_name("N")
      ->capture_default_str()
      ->group(kGroup);
  verb.add_option("--expire", words.expire,
                  "rounds after which an open decision expires [once its last part is due]")
      ->type_name("N")
      ->check(not_empty("a whole number"))
      ->group(kGroup);
}

Live read_live(const LiveWords& words) {
  Live live;
  for (const std::string& text : words.budgets) live.budgets.push_back(typed(parse_budget(text)));
  each_pair("--missing", words.missing, [&](std::string name, const std::string& number) {
    live.missing.emplace_back(std::move(name), share(number));
  });
  each_pair("--late", words.late, [&](std::string name, const std::string& number) {
    live.late.emplace_back(std::move(name), whole_number("--late", number, 0, 1'000'000));
  });
  each_pair("--keys", words.keys, [&](std::string name, const std::string& number) {
    live.keys.emplace_back(std::move(name), whole_number("--keys", number, 1, 1 << 20));
  });
  live.ticks = whole_number("--ticks", words.ticks, 1, 1'000'000);
  if (!words.expire.empty()) live.expire = whole_number("--expire", words.expire, 1, 1'000'000);
  return live;
}

}  // namespace rein::app
