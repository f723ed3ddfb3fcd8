// rein list: every oracle, pricer, gain, explorer, policy and world, one line each.
#include <fmt/format.h>

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
  std::vector<Entry> entries;
};

std::vector<Room> rooms() {
  return {{"policies", "who decides", policies()},
          {"oracles", "estimate rewards and costs", oracles()},
          {"pricers", "turn what was spent into a price", pricers()},
          {"gains", "set how sharply scores become probabilities", gains()},
          {"explorers", "turn scores into probabilities", explorers()},
          {"worlds", "rounds and outcomes, for experiments", worlds()}};
}

void print_room(const Room& room) {
  fmt::print("{}: {}\n", room.plural, room.does);
  for (const Entry& entry : room.entries) fmt::print("  {:<16} {}\n", entry.name, entry.line);
  fmt::print("\n");
}

void print_entry(const Room& room, const Entry& entry) {
  fmt::print("{} ({})\n  {}\n", entry.name, room.plural, entry.line);
  fmt::print("  options: {}\n", entry.options.empty() ? "none" : entry.options);
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
      json.key("options").value(entry.options);
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
      "  rein list ccb        the options that ccb takes, with defaults");
  return [what, as_json] { return list(*what, *as_json); };
}

}  // namespace rein::app
