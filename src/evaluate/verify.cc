#include "rein/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/math.h"
#include "evaluate/growth.h"
#include "evaluate/play_file.h"
#include "evaluate/run.h"
#include "evaluate/verify_cases.h"

namespace rein {
namespace {

constexpr const char* kParts = "abcdefg";
constexpr int kQuickHorizons = 6;
constexpr int kQuickSeeds = 16;
constexpr int kFullSeeds = 50;
constexpr int kMinHorizonPower = 4;
constexpr int kMaxHorizonPower = 30;
// A premise that grows no faster than this power of T is taken to hold.
constexpr double kPremiseGrowth = 0.1;

// A case with its horizons and results.
struct Measured {
  const VerifyCase* of = nullptr;
  std::string policy;    // a spec: that of the case, or another one beside it
  bool promised = true;  // it is that of the case
  std::vector<std::int64_t> horizons;
  std::vector<std::vector<Totals>> totals;  // [horizon][seed]
  std::vector<Terms> terms;                 // one per horizon
};

// The name that stands for the policies of the theorem.
constexpr const char* kOfTheorem = "ccb";

bool has_theorem(const VerifyOptions& options) {
  return options.policies.empty() || std::ranges::find(options.policies, kOfTheorem) != options.policies.end();
}

// Others are played once on a world, though several cases may have it.
bool is_planned(const std::vector<Measured>& planned, const VerifyCase& of, const std::string& policy,
                std::string_view parts) {
  return std::ranges::any_of(planned, [&](const Measured& measured) {
    const std::string_view there = measured.of->parts;
    const bool covers = std::ranges::all_of(std::string_view(of.parts), [&](char part) {
      return parts.find(part) == std::string_view::npos || there.find(part) != std::string_view::npos;
    });
    return covers && measured.policy == policy && std::string_view(measured.of->world) == of.world;
  });
}

std::vector<Measured> plan(const VerifyOptions& options) {
  const bool full = options.profile == "full";
  std::vector<Measured> planned;
  for (const VerifyCase& each : verify_cases()) {
    const std::string parts = each.parts;
    const bool asked = parts.find_first_of(options.parts) != std::string::npos;
    if (!asked || !(full || each.quick)) continue;
    int first = full ? each.first : each.quick_first;
    int last = full ? each.last : each.quick_first + kQuickHorizons - 1;
    if (options.first > 0) first = options.first;
    if (options.last > 0) last = options.last;
    Measured measured{.of = &each, .policy = each.policy};
    for (int power = first; power <= last; ++power) {
      measured.horizons.push_back(std::int64_t{1} << power);
    }
    if (has_theorem(options)) planned.push_back(measured);
    measured.promised = false;
    for (const std::string& policy : options.policies) {
      if (policy == kOfTheorem || is_planned(planned, each, policy, options.parts)) continue;
      measured.policy = policy;
      planned.push_back(measured);
    }
  }
  return planned;
}

Result<> check_options(const VerifyOptions& options) {
  if (options.profile != "quick" && options.profile != "full") {
    return Error{fmt::format("verify: profile is \"{}\"; accepted: quick, full", options.profile)};
  }
  if (options.parts.empty() || options.parts.find_first_not_of(kParts) != std::string::npos) {
    return Error{
        fmt::format("verify: parts are \"{}\"; accepted: letters from a to g", options.parts)};
  }
  const auto power = [](int n) {
    return n == 0 || (n >= kMinHorizonPower && n <= kMaxHorizonPower);
  };
  if (!power(options.first) || !power(options.last) || (options.first > 0) != (options.last > 0) ||
      (options.first > 0 && options.last <= options.first)) {
    return Error{fmt::format("verify: horizons are 2^{} to 2^{}; accepted: powers from {} to {}",
                             options.first, options.last, kMinHorizonPower, kMaxHorizonPower)};
  }
  if (options.seeds < 0) return Error{"verify: seeds below 0; accepted: 1 or more"};
  return {};
}

std::string world_at(const VerifyCase& of, std::int64_t rounds) {
  return with_budget(of.world, rounds);
}

// The name of one horizon of a case in the file of finished plays.
std::string name_of(const VerifyCase& of, const RunOptions& options) {
  return fmt::format("{}, {} rounds, margin {}, long term {}: ", world_at(of, options.rounds),
                     options.rounds, options.margin, options.long_term ? 1 : 0);
}

RunOptions options_of(const VerifyCase& of, std::int64_t rounds, const VerifyOptions& options,
                      int seeds) {
  // Parts (d) and (f) also cover the best over all rounds.
  const bool long_term = std::string_view(of.parts).find_first_of("df") != std::string::npos;
  return {.rounds = rounds,
          .seeds = seeds,
          .threads = options.threads,
          .curve_points = 0,
          .margin = of.margin,
          .long_term = long_term};
}

// The number of plays that are not in the file yet.
int left_to_play(const Measured& measured, const RunOptions& options, PlayFile& kept) {
  kept.under(name_of(*measured.of, options));
  const Spec policy = parse_spec(measured.policy, "policy spec").value();
  int left = 0;
  for (int s = 0; s < options.seeds; ++s) {
    const std::uint64_t seed = options.first_seed + static_cast<std::uint64_t>(s);
    if (kept.find({policy, seed}) == nullptr) ++left;
  }
  return left;
}

Result<RunResult> finish_beside(const Measured& measured, const Spec& world, const RunOptions& options,
                                PlayFile& kept) {
  auto run = Run::prepare(world, {parse_spec(measured.policy, "policy spec").value()}, options);
  if (!run) return run.failure();
  return run.value().finish(&kept);
}

// Runs one horizon of a case. The terms are those of the constants of the case's own policy.
Result<> play_horizon(const RunOptions& options, PlayFile& kept, Measured& out) {
  const VerifyCase& of = *out.of;
  auto world = parse_spec(world_at(of, options.rounds), "world spec");
  if (!world) return world.failure();
  auto policy = parse_spec(of.policy, "policy spec");
  if (!policy) return policy.failure();
  auto run = Run::prepare(world.value(), {policy.value()}, options);
  if (!run) return run.failure();
  const auto terms = run.value().theorem[0];
  if (!terms) throw Bug("a case of verify that the theorem does not speak of");
  kept.under(name_of(of, options));
  auto result = out.promised ? run.value().finish(&kept) : finish_beside(out, world.value(), options, kept);
  if (!result) return result.failure();
  out.totals.push_back(result.value().policies[0].totals);
  out.terms.push_back(terms->after(options.rounds));
  return {};
}

// Runs every case at every horizon, except plays that the file holds.
Result<> play_all(const VerifyOptions& options, PlayFile& kept, std::vector<Measured>& planned,
                  Verification& verification) {
  const int seeds = verification.seeds;
  std::int64_t all = 0;
  for (const Measured& measured : planned) {
    for (std::int64_t rounds : measured.horizons) {
      const RunOptions run = options_of(*measured.of, rounds, options, seeds);
      const int left = left_to_play(measured, run, kept);
      verification.restored += static_cast<std::size_t>(seeds - left);
      all += rounds * left;
    }
  }
  std::int64_t before = 0;
  for (Measured& measured : planned) {
    for (std::int64_t rounds : measured.horizons) {
      RunOptions run = options_of(*measured.of, rounds, options, seeds);
      const int left = left_to_play(measured, run, kept);
      if (options.progress) {
        run.progress = [&](std::int64_t done, std::int64_t) {
          options.progress(before + done, all);
        };
      }
      if (auto played = play_horizon(run, kept, measured); !played) return played;
      before += rounds * left;
    }
  }
  return {};
}

std::vector<std::vector<double>> samples_of(const Measured& measured,
                                            double (*get)(const Totals&)) {
  std::vector<std::vector<double>> samples;
  for (const std::vector<Totals>& seeds : measured.totals) {
    std::vector<double>& values = samples.emplace_back();
    for (const Totals& totals : seeds) values.push_back(get(totals));
  }
  return samples;
}

VerifyRow empty_row(const Measured& measured, char part, const char* quantity) {
  return {.part = std::string(1, part),
          .setting = std::string(name_of(measured.terms[0].setting)),
          .world = named_budget(measured.of->world),
          .world_last = with_budget(measured.of->world, measured.horizons.back()),
          .policy = measured.policy,
          .quantity = quantity,
          .horizons = measured.horizons,
          .theorem = kNan,
          .promised = measured.promised};
}

// The oracle's error divided by the U that bounds its expectation: the mean over seeds, at the
// worst horizon.
double worst_error(const Measured& measured) {
  double worst = 0.0;
  for (const std::vector<Totals>& seeds : measured.totals) {
    double sum = 0.0;
    for (const Totals& totals : seeds) {
      const bool near = totals.misspecified > 0.0;  // then U alone does not bound the errors
      sum += totals.oracle_error / (near ? totals.u_bound : totals.u);
    }
    worst = std::max(worst, sum / static_cast<double>(seeds.size()));
  }
  return worst;
}

bool is_misspecified(const Measured& measured) { return measured.totals[0][0].misspecified > 0.0; }

// The terms of a horizon. If the class is misspecified, with the U that still holds.
Terms terms_at(const Measured& measured, std::size_t h) {
  Terms terms = measured.terms[h];
  if (!is_misspecified(measured)) return terms;
  terms.u = 0.0;
  for (const Totals& totals : measured.totals[h]) {
    terms.u += totals.u_bound / static_cast<double>(measured.totals[h].size());
  }
  return terms;
}

// Why a run has no bound although it should: the cases are chosen to meet every premise. At short
// horizons the constants may be too small for the exponential bounds, which is acceptable.
NoBound missing_bound(const Measured& measured) {
  for (const std::vector<Totals>& seeds : measured.totals) {
    for (const Totals& totals : seeds) {
      if (totals.no_bound != NoBound::kNone && totals.no_bound != NoBound::kConstants) {
        return totals.no_bound;
      }
    }
  }
  return NoBound::kNone;
}

void fail(VerifyRow& row, const std::string& why) {
  row.pass = false;
  row.note += (row.note.empty() ? "" : "; ") + why;
}

VerifyRow claim_row(const Measured& measured, char part, const BoundClaim& claim) {
  VerifyRow row = empty_row(measured, part, claim.quantity);
  row.rate = claim.formula;
  std::vector<double> rates;
  for (std::size_t h = 0; h < measured.horizons.size(); ++h) {
    rates.push_back(claim.rate(terms_at(measured, h)));
    double sum = 0.0;
    for (const Totals& totals : measured.totals[h]) sum += claim.bound(totals);
    row.bounds.push_back(sum / static_cast<double>(measured.totals[h].size()));
  }
  row.theorem = log_slope(measured.horizons, rates);
  judge(samples_of(measured, claim.measured), row);
  if (worst_error(measured) > 1.0) fail(row, "the oracle's error passed U");
  if (const NoBound missing = missing_bound(measured); missing != NoBound::kNone) {
    fail(row, fmt::format("no bound: {}", why(missing)));
  }
  return row;
}

// What another policy does where the theorem's own was measured: its growth, beside the theorem's.
void add_rows_beside(const Measured& measured, char part, std::vector<VerifyRow>& rows) {
  for (const BoundClaim& claim : claims_of(part)) {
    VerifyRow row = empty_row(measured, part, claim.quantity);
    judge(samples_of(measured, claim.measured), row);
    const auto exists = [](const Figure& f) { return !std::isnan(f.mean); };
    if (std::ranges::none_of(row.measured, exists)) continue;  // it has no such quantity
    std::vector<double> rates;
    for (const Terms& terms : measured.terms) rates.push_back(claim.rate(terms));
    row.theorem = log_slope(measured.horizons, rates);
    row.rate = claim.formula;
    row.pass = true;
    rows.push_back(std::move(row));
  }
}

// Leaves out the policies beside the theorem's that a world does not fit. Refuses one that fits no world.
Result<> leave_out(const VerifyOptions& options, std::vector<Measured>& planned, Verification& out) {
  std::vector<Measured> fit;
  for (Measured& measured : planned) {
    if (!measured.promised) {
      const RunOptions run = options_of(*measured.of, measured.horizons[0], options, 1);
      auto world = parse_spec(world_at(*measured.of, run.rounds), "world spec");
      auto policy = parse_spec(measured.policy, "policy spec");
      if (!policy) return policy.failure();
      auto prepared = Run::prepare(world.value(), {policy.value()}, run);
      if (!prepared) {
        out.left_out.push_back(
            fmt::format("{} on {}: {}", measured.policy, named_budget(measured.of->world), prepared.error()));
        continue;
      }
    }
    fit.push_back(std::move(measured));
  }
  planned = std::move(fit);
  for (const std::string& policy : options.policies) {
    if (policy == kOfTheorem || out.left_out.empty()) continue;
    if (std::ranges::any_of(planned, [&](const Measured& each) { return each.policy == policy; })) continue;
    const auto why = std::ranges::find_if(out.left_out, [&](const std::string& text) {
      return text.starts_with(policy + " on ");
    });
    if (why != out.left_out.end()) return Error{"verify: " + *why};
  }
  return {};
}

// Part (e) makes an assumption about the run itself. If it fails, the rows say so. Then only the
// explicit bounds, which use the measured premise, are judged.
void add_rows_with_premise(const Measured& measured, std::vector<VerifyRow>& rows) {
  VerifyRow premise = empty_row(measured, 'e', "premise");
  premise.theorem = std::numeric_limits<double>::infinity();  // an assumption cannot fail
  judge(samples_of(measured, [](const Totals& t) { return t.premise; }), premise);
  premise.theorem = kNan;
  double most = 0.0;
  for (const Figure& f : premise.measured) most = std::max(most, f.mean);
  const bool holds = !(premise.exponent.low > kPremiseGrowth);
  premise.note = holds ? fmt::format("held with c = {:.3g}", most)
                       : fmt::format("c grows with T, to {:.3g}: part (e) does not apply", most);
  rows.push_back(premise);
  for (const BoundClaim& claim : claims_of('e')) {
    VerifyRow row = claim_row(measured, 'e', claim);
    if (!holds) {
      row.theorem = std::numeric_limits<double>::infinity();
      row.note.clear();
      judge(samples_of(measured, claim.measured), row);
      row.theorem = kNan;
      row.rate.clear();
      row.note = "the premise did not hold" + (row.note.empty() ? "" : "; " + row.note);
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace

Result<Verification> verify(const VerifyOptions& options) {
  if (auto fine = check_options(options); !fine) return fine.failure();
  std::vector<Measured> planned = plan(options);
  Verification verification{.profile = options.profile};
  verification.seeds = options.seeds > 0           ? options.seeds
                       : options.profile == "full" ? kFullSeeds
                                                   : kQuickSeeds;
  auto opened = PlayFile::open(options.resume, play_header("verify"), options.fresh);
  if (!opened) return opened.failure();
  if (auto fits = leave_out(options, planned, verification); !fits) return fits.failure();
  auto played = play_all(options, *opened.value(), planned, verification);
  if (!played) return played.failure();
  for (char part : std::string(kParts)) {
    if (options.parts.find(part) == std::string::npos) continue;
    for (const Measured& measured : planned) {
      if (std::string(measured.of->parts).find(part) == std::string::npos) continue;
      if (!measured.promised) {
        add_rows_beside(measured, part, verification.rows);
        continue;
      }
      if (part == 'e') {
        add_rows_with_premise(measured, verification.rows);
        continue;
      }
      for (const BoundClaim& claim : claims_of(part)) {
        verification.rows.push_back(claim_row(measured, part, claim));
      }
      if (is_misspecified(measured)) {
        verification.rows.push_back(claim_row(measured, part, error_claim()));
      }
    }
  }
  return verification;
}

bool Verification::pass() const {
  return std::all_of(rows.begin(), rows.end(), [](const VerifyRow& row) { return row.pass; });
}

}  // namespace rein
