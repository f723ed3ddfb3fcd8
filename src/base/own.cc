#include "base/own.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/spec_reader.h"

namespace rein {
namespace {

// The kind of piece that `own` stands for at this key. Inside of= it is that of the spec around it:
// stop(of=POLICY), stack(of=[ORACLE,...]), subset(of=WORLD).
OwnKind kind_at(std::string_view key, OwnKind around) {
  if (key == "of") return around;
  return key == "pricer" ? OwnKind::kPotential : OwnKind::kOracle;
}

void collect(const SpecValue& value, OwnKind kind, std::vector<OwnUse>& uses) {
  if (const auto* list = std::get_if<SpecValue::List>(&value.is)) {
    for (const SpecValue& item : *list) collect(item, kind, uses);
  }
  const auto* spec = std::get_if<Spec>(&value.is);
  if (spec == nullptr) return;
  if (spec->name == "own") {
    uses.push_back({kind, SpecReader(*spec, "spec").text("name", "own")});
    return;
  }
  for (const auto& [key, inner] : spec->options) collect(inner, kind_at(key, kind), uses);
}

bool names(std::span<const OwnUse> uses, OwnKind kind, const std::string& name) {
  return std::ranges::any_of(
      uses, [&](const OwnUse& use) { return use.kind == kind && use.name == name; });
}

template <class Pieces>
void keep_used(std::span<const OwnUse> uses, OwnKind kind, const Pieces& from, Pieces& to) {
  for (const auto& [name, piece] : from) {
    if (names(uses, kind, name)) to.emplace(name, piece);
  }
}

// `how` is the spec that would use the piece, up to the name.
template <class Pieces>
Result<> check_pieces(std::span<const OwnUse> uses, OwnKind kind, const Pieces& pieces,
                      std::string_view what, std::string_view how, std::string_view who) {
  for (const auto& [name, piece] : pieces) {
    if (names(uses, kind, name)) continue;
    return Error{fmt::format(
        "own: {} \"{}\" was brought, and {} it; accepted: a spec with {}own(name=\"{}\")", what,
        name, who, how, name)};
  }
  return {};
}

}  // namespace

std::vector<OwnUse> own_uses(const Spec& spec, OwnKind kind) {
  std::vector<OwnUse> uses;
  collect({.is = spec}, kind, uses);
  return uses;
}

std::vector<OwnUse> own_uses(const Spec& world, std::span<const Spec> policies) {
  std::vector<OwnUse> uses = own_uses(world, OwnKind::kWorld);
  for (const Spec& policy : policies) collect({.is = policy}, OwnKind::kPolicy, uses);
  return uses;
}

bool uses_own(const Spec& policy, OwnKind kind) {
  return std::ranges::any_of(own_uses(policy, OwnKind::kPolicy),
                             [kind](const OwnUse& use) { return use.kind == kind; });
}

Own own_of(const Own& own, std::span<const OwnUse> uses) {
  Own used;
  keep_used(uses, OwnKind::kOracle, own.oracles, used.oracles);
  keep_used(uses, OwnKind::kPotential, own.potentials, used.potentials);
  keep_used(uses, OwnKind::kPolicy, own.policies, used.policies);
  keep_used(uses, OwnKind::kWorld, own.worlds, used.worlds);
  return used;
}

Result<> check_used(const Own& own, std::span<const OwnUse> uses, std::string_view who) {
  const Result<> checks[] = {
      check_pieces(uses, OwnKind::kOracle, own.oracles, "oracle", "oracle=", who),
      check_pieces(uses, OwnKind::kPotential, own.potentials, "potential", "pricer=", who),
      check_pieces(uses, OwnKind::kPolicy, own.policies, "policy", "", who),
      check_pieces(uses, OwnKind::kWorld, own.worlds, "world", "", who)};
  for (const Result<>& checked : checks) {
    if (!checked) return checked;
  }
  return {};
}

Result<std::string> name_of_own(const Spec& spec, std::string_view what) {
  SpecReader read(spec, what);
  std::string name = read.text("name", "own");
  if (auto done = read.finish(); !done) return done.failure();
  return name;
}

Error not_brought(std::string_view what, std::string_view name) {
  return Error{fmt::format(
      "{}: own(name=\"{}\") is a piece that the caller brings, and none was brought under this "
      "name; see docs/own.md",
      what, name)};
}

}  // namespace rein
