#include "policy/meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "policy/ccb.h"
#include "rein/catalog.h"

namespace rein {
namespace {

// HACKING.md, "Change what a policy means", says how to add a line.
constexpr MeaningChange kMeaningChanges[] = {
    {.last = 0,
     .name = "ccb",
     .unless = "oracle,reward_oracle,cost_oracle,tuning=theory",
     .options = "oracle=vaw(memory=auto)",
     .what = "its default oracle was linear"},
    {.last = 1,
     .name = "ccb",
     .unless = "tuning=theory",
     .options = "new_features=free,noises=pooled,rehearsed=igw,scales=first,tries=0,waits=first",
     .what = "it gave actions up, took scales and delays from what came first, and new features for free; its price "
             "was rehearsed with igw"},
    {.last = 1,
     .name = "predicted",
     .unless = "",
     .options = "limited=0",
     .what = "its prices were not limited to those of use"},
    {.last = 2,
     .name = "ccb",
     .unless = "oracle,reward_oracle,cost_oracle,tuning=theory",
     .options = "challengers=every",
     .what = "classes that were compared learned every outcome"},
    {.last = 2,
     .name = "auto",
     .unless = "",
     .options = "challengers=every",
     .what = "its members learned every outcome"},
};

// The place of the first such character from `from` on; the size if there is none.
std::size_t place_of(std::string_view text, char wanted, std::size_t from = 0) {
  while (from < text.size() && text[from] != wanted) ++from;
  return from;
}

bool has_option(const Spec& spec, std::string_view option) {
  const std::size_t equals = place_of(option, '=');
  const SpecValue* value = spec.find(option.substr(0, equals));
  if (value == nullptr) return false;
  return equals == option.size() || value->str() == option.substr(equals + 1);
}

bool has_any(const Spec& spec, std::string_view options) {
  for (std::size_t begin = 0; begin < options.size();) {
    const std::size_t end = place_of(options, ',', begin);
    if (has_option(spec, options.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

// The options whose values are policies or parts of them. Other words are not: memory=auto is no oracle.
constexpr std::string_view kPieceKeys[] = {"base", "cost",   "cost_oracle", "explorer",
                                           "gain", "of",     "oracle",      "pricer",
                                           "reward", "reward_oracle"};

// Calls `each` with this spec and with every piece inside it.
Result<> for_all(Spec& spec, const std::function<Result<>(Spec&)>& each) {
  if (auto done = each(spec); !done) return done;
  for (auto& option : spec.options) {
    if (std::ranges::find(kPieceKeys, option.first) == std::end(kPieceKeys)) continue;
    if (auto* inner = std::get_if<Spec>(&option.second.is)) {
      if (auto done = for_all(*inner, each); !done) return done;
    }
    auto* list = std::get_if<SpecValue::List>(&option.second.is);
    if (list == nullptr) continue;
    for (SpecValue& item : *list) {
      auto* inner = std::get_if<Spec>(&item.is);
      if (inner == nullptr) continue;
      if (auto done = for_all(*inner, each); !done) return done;
    }
  }
  return {};
}

// Defaults that the tables know.
void fill_defaults(Spec& spec, std::span<const Entry> entries) {
  for (const Entry& entry : entries) {
    if (entry.name != spec.name) continue;
    for (const Option& option : entry.options) {
      if (option.default_value.empty() || spec.find(option.key) != nullptr) continue;
      const std::string text = fmt::format("x(y={})", option.default_value);
      const auto parsed = parse_spec(text, "default");
      if (parsed) spec.set(std::string(option.key), *parsed.value().find("y"));
    }
    return;
  }
}

}  // namespace

std::span<const MeaningChange> meaning_changes() { return kMeaningChanges; }

Result<Spec> meant_by(const Spec& asked, int meaning, int newest,
                      std::span<const MeaningChange> changes) {
  if (meaning < kOldestMeaning || meaning > newest) {
    return Error{fmt::format("policy {}: found meaning {}{}; accepted: {} to {}", asked.str(),
                             meaning, meaning > newest ? " (a newer program made it)" : "",
                             kOldestMeaning, newest),
                 Reason::kMeaning};
  }
  Spec spec = asked;
  for (const MeaningChange& change : changes) {
    if (meaning > change.last) continue;
    auto done = for_all(spec, [&](Spec& part) -> Result<> {
      if (part.name != change.name || has_any(part, change.unless)) return {};
      if (change.options.empty()) {
        return Error{fmt::format("policy {}: found meaning {} of \"{}\", which this program no "
                                 "longer makes: {}; accepted: meaning {} to {}",
                                 asked.str(), meaning, change.name, change.what, change.last + 1,
                                 newest),
                     Reason::kMeaning};
      }
      const Spec added = parse_spec(fmt::format("x({})", change.options), "meaning").value();
      for (const auto& [key, value] : added.options) {
        if (part.find(key) != nullptr) continue;
        SpecValue option = value;
        option.implied = true;
        part.set(key, std::move(option));
      }
      return {};
    });
    if (!done) return done.failure();
  }
  return spec;
}

Result<Spec> meant(const Spec& asked, int meaning) {
  return meant_by(asked, meaning, kMeaning, kMeaningChanges);
}

std::string written_out(const Spec& spec, const Shape& shape) {
  Spec out = spec.name == "ccb" ? with_ccb_defaults(spec, shape) : spec;
  for_all(out, [](Spec& part) -> Result<> {
    for (const auto& entries : {policies(), oracles(), pricers(), gains(), explorers()}) {
      fill_defaults(part, entries);
    }
    return {};
  }).check();
  return out.str();
}

}  // namespace rein
