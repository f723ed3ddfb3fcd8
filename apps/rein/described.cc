#include "described.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "rein/catalog.h"

namespace rein::app {
namespace {

// "INT:INT in [1 - 10]" is INT: what CLI11 writes behind the colon is a check.
std::string value_word(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return "";
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::vector<std::string> names_in(std::span<const Entry> entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The words of "TEXT:{auto,yes,no}".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t from = type.find('{'), to = type.find('}');
  std::vector<std::string> found;
  if (from == std::string::npos || to == std::string::npos) return found;
  std::string word;
  for (const char c : type.substr(from + 1, to - from)) {
    if (c != ',' && c != '}') {
      word += c;
      continue;
    }
    found.push_back(word);
    word.clear();
  }
  return found;
}

void add_offer(const std::string& verb, const std::string& type, DescribedOption& option) {
  const std::string word = option.positional ? option.names.front() : option.value;
  if (word == "DIR") option.offer = Offer::kFolders;
  static const std::vector<std::string> kPaths = {
      "FILE", "PATH", "JSON", "LOG", "IN", "OUT", "DATA", "DATA/MODEL", "DATA/NAME", "DATA2/NAME"};
  if (has(kPaths, word) || (option.positional && word == "MODEL")) option.offer = Offer::kFiles;
  option.offered = choices_in(type);
  if (has(option.names, "--world")) option.offered = names_in(worlds());
  if (has(option.names, "--policy")) option.offered = names_in(policies());
  if (has(option.names, "--oracle") || has(option.names, "--learner"))
    option.offered = names_in(oracles());
  if (verb == "export" && has(option.names, "--format"))
    option.offered = {"csv", "jsonl", "dsjson"};
  if (verb == "completion" && option.positional) option.offered = {"bash", "zsh", "fish"};
  if (verb == "list" && option.positional) {
    option.offered = {"policies", "oracles", "pricers", "gains", "explorers", "worlds"};
    for (const auto& room : {policies(), oracles(), pricers(), gains(), explorers(), worlds()}) {
      std::ranges::copy(names_in(room), std::back_inserter(option.offered));
    }
  }
  if (!option.offered.empty()) option.offer = Offer::kNames;
}

DescribedVerb described_verb(const CLI::App& app, const std::string& name) {
  DescribedVerb verb{name, app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden in --help too
    DescribedOption one;
    one.positional = option->get_positional();
    if (one.positional) one.names = {option->get_name(true, false)};
    for (const std::string& letter : option->get_snames()) one.names.push_back("-" + letter);
    for (const std::string& word : option->get_lnames()) one.names.push_back("--" + word);
    one.value = value_word(*option);
    one.initial = option->get_default_str();
    one.group = one.positional ? "Positionals" : option->get_group();
    one.line = option->get_description();
    one.required = option->get_required();
    one.repeated = option->get_expected_max() > 1;
    add_offer(name, option->get_type_name(), one);
    verb.options.push_back(std::move(one));
  }
  // Those of a heading together, as --help has them: positionals, then in the order of the first of each.
  std::vector<std::string> headings = {"Positionals"};
  for (const DescribedOption& option : verb.options) {
    if (!has(headings, option.group)) headings.push_back(option.group);
  }
  std::ranges::stable_sort(verb.options, {}, [&](const DescribedOption& option) {
    return std::ranges::find(headings, option.group) - headings.begin();
  });
  return verb;
}

}  // namespace

std::vector<DescribedVerb> described(const CLI::App& program) {
  std::vector<DescribedVerb> verbs = {described_verb(program, "")};
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(described_verb(*verb, verb->get_name()));
  }
  return verbs;
}

}  // namespace rein::app
