// rein list: every oracle, pricer, gain, explorer, policy and world, with one line; the options of
// one, with one line each.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/json.h"
#include "numbers.h"
#include "rein/catalog.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct Room {
  std::string_view plural;
  std::string_view does;
  std::string_view page;  // of an entry; {} stands for its name
  std::vector<Entry> entries;
};

std::vector<Room> rooms() {
  return {{"policies", "who decides", "policy/{}", policies()},
          {"oracles", "estimate rewards and costs", "estimate/{}", oracles()},
          {"pricers", "turn what was spent into a price", "price/{}", pricers()},
          {"gains", "set how sharply scores become probabilities", "explore/gains", gains()},
          {"explorers", "turn scores into probabilities", "explore/{}", explorers()},
          {"worlds", "rounds and outcomes, for experiments", "world/{}", worlds()}};
}

void print_room(const Room& room) {
  fmt::print("{}: {}\n", room.plural, room.does);
  for (const Entry& entry : room.entries) fmt::print("  {:<16} {}\n", entry.name, entry.line);
  fmt::print("\n");
}

// One row per option; its choices, where it has some, on the line below.
void print_options(std::span<const Option> options) {
  std::size_t keys = 6, values = 7;  // as wide as the headings
  for (const Option& option : options) {
    keys = std::max(keys, option.key.size());
    values = std::max(values, option.default_value.size());
  }
  fmt::print("  {:<{}}  {:<{}}  meaning\n", "option", keys, "default", values);
  for (const Option& option : options) {
    const std::string_view value = option.default_value.empty() ? "-" : option.default_value;
    fmt::print("  {:<{}}  {:<{}}  {}\n", option.key, keys, value, values, option.line);
    if (option.choices.empty()) continue;
    fmt::print("  {:<{}}  {:<{}}  choices: {}\n", "", keys, "", values,
               fmt::join(choices_of(option), ", "));
  }
}

void print_entry(const Room& room, const Entry& entry) {
  fmt::print("{} ({})\n  {}\n\n", entry.name, room.plural, entry.line);
  if (entry.options.empty()) fmt::print("  no options\n");
  if (!entry.options.empty()) print_options(entry.options);
  const std::string page = fmt::format(fmt::runtime(room.page), entry.name);
  fmt::print("\n  more: docs/{}.md\n", page);
}

void write_option(const Option& option, JsonWriter& json) {
  json.begin_object();
  json.key("key").value(option.key);
  json.key("default");
  if (option.default_value.empty()) {
    json.null();
  } else {
    json.value(option.default_value);
  }
  json.key("choices");
  json.begin_array();
  for (std::string_view choice : choices_of(option)) json.value(choice);
  json.end_array();
  json.key("line").value(option.line);
  json.end_object();
}

int list_json(const std::vector<Room>& all) {
  JsonWriter json;
  json.begin_object();
  for (const Room& room : all) {
    json.key(room.plural);
    json.begin_array();
    for (const Entry& entry : room.entries) {
      json.begin_object();
      json.key("name").value(entry.name);
      json.key("line").value(entry.line);
      json.key("options");
      json.begin_array();
      for (const Option& option : entry.options) write_option(option, json);
      json.end_array();
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  fmt::print("{}\n", json.str());
  return kOk;
}

int list(const std::string& what, bool as_json) {
  const std::vector<Room> all = rooms();
  if (as_json) return list_json(all);
  bool found = what.empty();
  for (const Room& room : all) {
    if (what.empty() || what == room.plural) {
      print_room(room);
      found = true;
      continue;
    }
    for (const Entry& entry : room.entries) {
      if (what != entry.name) continue;
      if (found) fmt::print("\n");
      print_entry(room, entry);
      found = true;
    }
  }
  if (!found) {
    throw UsageError(fmt::format(
        "list: nothing is called \"{}\"; accepted: a name that `rein list` shows, or policies, "
        "oracles, pricers, gains, explorers, worlds",
        what));
  }
  if (what.empty()) {
    fmt::print("rein list NAME shows the options of one. docs/ has a page for each.\n");
  }
  return kOk;
}

}  // namespace

Verb add_list(CLI::App& program) {
  auto what = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  CLI::App* verb = program.add_subcommand(
      "list", "all policies, oracles and worlds, one line each; the options of one");
  verb->add_option("what", *what, "a name (vaw) or a kind (policies); everything by default")
      ->check(not_empty("a name (vaw) or a kind (policies)"));
  verb->add_flag("--json", *as_json, "print everything as one JSON object");
  verb->footer(
      "Examples:\n"
      "  rein list\n"
      "  rein list worlds\n"
      "  rein list ccb        the options of ccb: defaults, choices, meaning");
  return [what, as_json] { return list(*what, *as_json); };
}

}  // namespace rein::app
