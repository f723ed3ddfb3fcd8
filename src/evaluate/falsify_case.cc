#include "evaluate/falsify_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/math.h"

namespace rein {
namespace {

constexpr double kChanged = 0.12;  // share of the genes that a mutation changes
constexpr double kNudge = 0.1;     // the size of a small change
constexpr double kAnytimeShare = 0.25;  // of the cases are without a horizon
constexpr std::int64_t kMostWork = std::int64_t{1} << 19;  // rounds x actions x heads of one run
constexpr std::int64_t kMostRoundsOfManyCosts = 4096;      // the long-term LP is slow there

constexpr Setting kSettings[] = {Setting::kExpectation,       Setting::kSlater,
                                 Setting::kAlmostSure,        Setting::kKnapsack,
                                 Setting::kLinearConstraints, Setting::kPacing};
constexpr int kSettingCount = static_cast<int>(std::size(kSettings));

class Reader {
 public:
  explicit Reader(const Genes& genes) : genes_(genes) {}
  double unit(Gene gene) const { return genes_[gene]; }
  bool below(Gene gene, double share) const { return genes_[gene] < share; }
  int pick(Gene gene, int n) const { return std::min(static_cast<int>(genes_[gene] * n), n - 1); }
  template <std::size_t N>
  const char* word(Gene gene, const char* const (&words)[N]) const {
    return words[pick(gene, static_cast<int>(N))];
  }
  double between(Gene gene, double low, double high) const {
    return rounded(low + (high - low) * genes_[gene]);
  }
  double power(Gene gene, double base, double low, double high) const {
    return rounded(exp(log(base) * (low + (high - low) * genes_[gene])));
  }
  // The part of a gene above `share`, rescaled to a gene.
  double rest(Gene gene, double share) const { return (genes_[gene] - share) / (1.0 - share); }

  // Rounded to three digits, so that specs are short and parse back exactly.
  static double rounded(double x) {
    if (x == 0.0) return x;
    const double scale = std::pow(10.0, 2.0 - std::floor(std::log10(std::abs(x))));
    return std::round(x * scale) / scale;
  }

 private:
  const Genes& genes_;
};

// A world, and what a policy must know about it.
struct Drawn {
  std::string spec;
  int actions = 2;
  int costs = 1;
  double margin = 1.0;   // upper limit of Slater's eps
  bool linear = true;    // a linear oracle can represent the means
  bool tabular = false;  // contexts are one-hot
  bool finite = false;   // the world has a list of functions
  bool noise = false;
};

std::string noise_of(const Reader& read, bool allowed, Drawn& drawn) {
  constexpr const char* kNoises[] = {"none", "none", "none", "low", "gaussian", "rademacher"};
  const std::string word = allowed ? read.word(kNoiseGene, kNoises) : "none";
  drawn.noise = word != "none";
  return fmt::format("noise={}", word);
}

std::string order_of(const Reader& read) {
  constexpr const char* kOrders[] = {
      "order=iid",   "order=iid",      "order=switching,block=97",   "order=cyclic",
      "order=drift", "order=adaptive", "order=adaptive,target=queue"};
  return read.word(kOrderGene, kOrders);
}

int costs_of(const Reader& read) { return std::max(1, read.pick(kCostsGene, 7) - 2); }

// A world with any number of actions and costs: `name` takes k, m, margin or safe, tension.
Drawn draw_free(const Reader& read, const std::string& name, bool positive, bool budget) {
  Drawn drawn{.actions = 2 + read.pick(kActionsGene, 16), .costs = costs_of(read)};
  drawn.finite = drawn.tabular = name == "finite";
  drawn.linear = name != "nonlinear";
  const double most = name == "linear"   ? (drawn.costs > 1 ? 0.8 : 1.0)
                      : name == "finite" ? 1.0
                                         : 0.5;
  drawn.margin = Reader::rounded(most * std::sqrt(read.unit(kMarginGene)));
  const double tension = read.between(kTensionGene, name == "linear" ? -1.0 : 0.0, 1.0);
  drawn.spec = fmt::format("{}(k={},m={},tension={}", name, drawn.actions, drawn.costs,
                           std::abs(tension) > 0.9 ? std::round(tension) : tension);
  drawn.spec += positive ? ",costs=positive" : fmt::format(",margin={}", drawn.margin);
  if (budget) {
    const double rate = read.power(kRateGene, 10.0, -4.0, 0.0);
    drawn.spec += fmt::format(",rate={}", rate);
  }
  if (name == "linear") {
    const int d = (positive ? 2 : 1) + read.pick(kFeaturesGene, 4);
    drawn.spec += fmt::format(",d={},{}", d, order_of(read));
  }
  if (name == "misspecified") {
    const double strength = read.below(kFirstGene, 0.5) ? 0.0 : read.rest(kFirstGene, 0.5);
    drawn.spec += fmt::format(",strength={}", Reader::rounded(strength));
  }
  drawn.spec += fmt::format(",{})", noise_of(read, true, drawn));
  return drawn;
}

Drawn draw_spend_or_save(const Reader& read) {
  Drawn drawn;
  drawn.spec =
      fmt::format("spend_or_save(future=high,high={},medium={},rate={},{})",
                  Reader::rounded(std::round(4.0 * read.between(kSecondGene, -1.0, 1.0)) / 4.0),
                  Reader::rounded(std::round(4.0 * read.between(kFirstGene, -1.0, 1.0)) / 4.0),
                  read.power(kRateGene, 10.0, -4.0, 0.0), noise_of(read, true, drawn));
  return drawn;
}

Drawn draw_heavy(const Reader& read) {
  Drawn drawn{.actions = 2 + read.pick(kActionsGene, 6), .costs = costs_of(read)};
  drawn.spec =
      fmt::format("heavy(d={},k={},m={},rate={},ratio={},{})", 2 + read.pick(kFeaturesGene, 3),
                  drawn.actions, drawn.costs, read.power(kRateGene, 10.0, -2.0, 0.0),
                  read.power(kFirstGene, 10.0, 0.5, 3.0), noise_of(read, true, drawn));
  return drawn;
}

Drawn draw_fixed_context(const Reader& read) {
  Drawn drawn{.actions = 4, .costs = costs_of(read)};
  drawn.spec = fmt::format("fixed_context(d=5,k=3,m={},rate={},{})", drawn.costs,
                           read.power(kRateGene, 10.0, -3.0, 0.0), noise_of(read, true, drawn));
  return drawn;
}

Drawn draw_world(const Reader& read, Setting setting) {
  if (has_budget(setting)) {
    const bool positive = setting == Setting::kKnapsack || read.below(kSignGene, 0.4);
    if (!positive) {
      constexpr const char* kSigned[] = {"linear", "linear", "finite", "misspecified", "nonlinear"};
      return draw_free(read, read.word(kWorldGene, kSigned), false, true);
    }
    switch (read.pick(kWorldGene, 7)) {
      case 0:
      case 1:
        return draw_spend_or_save(read);
      case 2:
        return draw_heavy(read);
      case 3:
        return draw_fixed_context(read);
      case 4:
        return draw_free(read, "finite", true, true);
      default:
        return draw_free(read, "linear", true, true);
    }
  }
  constexpr const char* kFree[] = {"linear", "linear", "finite", "misspecified", "nonlinear"};
  const double share = 0.3;
  if (!read.below(kWorldGene, share)) {
    const int at = std::min(static_cast<int>(read.rest(kWorldGene, share) * 5.0), 4);
    return draw_free(read, kFree[at], false, false);
  }
  if (read.below(kWorldGene, 0.1)) return {.spec = "two_arm", .tabular = true};
  Drawn drawn{.tabular = true};
  const double slack = read.below(kFirstGene, 0.5) ? 0.0 : read.between(kFirstGene, 0.0, 1.0);
  drawn.spec = fmt::format("slack_then_trap(slack={},{})", slack, noise_of(read, true, drawn));
  return drawn;
}

// The oracle, with a given U if the noise is small: its total error then stays small. The run is
// judged only if it did.
std::string oracle_of(const Reader& read, Setting setting, const Drawn& drawn, FalsifyCase& out) {
  // Under almost_sure the errors of the cost heads are not measured: with noise, a given U is a
  // guess.
  const bool may_give = !(setting == Setting::kAlmostSure && drawn.noise);
  if (!drawn.linear || read.below(kOracleGene, 0.4)) return "oracle=truth";
  // The positive part of a linear function is not linear, so no oracle guarantees to learn it. A
  // table of contexts can represent anything.
  out.own_u = setting != Setting::kAlmostSure || drawn.tabular;
  if (read.below(kOracleGene, 0.6) && may_give) {
    out.own_u = false;
    return fmt::format("u={}", Reader::rounded(1.0 + 7.0 * read.unit(kUGene) * read.unit(kUGene)));
  }
  if (read.below(kOracleGene, 0.75)) {
    return fmt::format("oracle=vaw(reg={})", read.power(kUGene, 10.0, -1.0, 1.0));
  }
  if (drawn.finite && read.below(kOracleGene, 0.9)) return "oracle=finite";
  if (read.below(kOracleGene, 0.85)) return "oracle=ons";
  if (read.below(kOracleGene, 0.92)) return "oracle=stack(of=[vaw,ons])";
  return "oracle=adagrad";
}

std::string wrapped(const Reader& read, std::string world) {
  if (read.below(kSubsetGene, 0.15)) {
    world = fmt::format("subset(of={},share={})", world,
                        Reader::rounded(0.3 + 4.0 * read.unit(kSubsetGene)));
  }
  if (read.below(kUnitsGene, 0.6)) return world;
  std::string room;
  if (!read.below(kRoomGene, 0.7)) {
    room = fmt::format(",room={}", read.power(kRoomGene, 10.0, 0.0, 2.0));
  }
  return fmt::format("scaled(cost={},of={},reward={}{})",
                     read.power(kCostUnitGene, 10.0, -3.0, 3.0), world,
                     read.power(kRewardUnitGene, 10.0, -3.0, 3.0), room);
}

std::string scales_of(const Reader& read, Setting setting) {
  std::string scales;
  if (is_nonnegative(setting)) return scales;  // their bounds hold only at scale 1
  if (!read.below(kPriceScaleGene, 0.25)) {
    scales += fmt::format(
        ",v_scale={}",
        Reader::rounded(exp(log(10.0) * (8.0 * read.rest(kPriceScaleGene, 0.25) - 2.0))));
  }
  if (!read.below(kGainScaleGene, 0.7)) {
    scales += fmt::format(",gamma_scale={}", read.power(kGainScaleGene, 10.0, -5.0, 1.0));
  }
  return scales;
}

}  // namespace

double gene_of(Setting setting) {
  const auto at = std::find(std::begin(kSettings), std::end(kSettings), setting);
  return (static_cast<double>(at - std::begin(kSettings)) + 0.5) / kSettingCount;
}

Genes random_genes(Rng& rng) {
  Genes genes;
  for (double& gene : genes) gene = rng.uniform();
  return genes;
}

Genes mutated(const Genes& genes, Rng& rng) {
  Genes changed = genes;
  const auto one = static_cast<std::size_t>(rng.below(kGenes));
  for (std::size_t g = 0; g < changed.size(); ++g) {
    if (g != one && rng.uniform() >= kChanged) continue;
    const bool nudge = rng.uniform() < 0.6;
    changed[g] =
        nudge ? std::clamp(changed[g] + kNudge * rng.normal(), 0.0, 1.0 - 0x1p-53) : rng.uniform();
  }
  return changed;
}

RunOptions FalsifyCase::options() const {
  return {.rounds = rounds,
          .seeds = 1,
          .first_seed = seed,
          .threads = 1,
          .curve_points = 0,
          .margin = margin,
          .long_term = long_term,
          .certify = certify,
          .delay = delay};
}

std::string FalsifyCase::command() const {
  std::string text = fmt::format("rein run --world '{}' --policy '{}' --rounds {} --first-seed {}",
                                 world, policy, rounds, seed);
  if (delay > 0) text += fmt::format(" --delay {}", delay);
  if (certify) text += " --certify";
  if (margin > 0.0) text += fmt::format(" --margin {}", margin);
  return text + " --json";
}

FalsifyCase make_certificate_case(const Genes& genes) {
  constexpr const char* kPolicies[] = {
      "ccb(setting={})", "ccb(setting={},tuning=theory)", "ccb(explorer=uniform,setting={})",
      "ccb(setting={})", "uniform", "epsilon", "greedy", "squarecb"};
  const Reader read(genes);
  FalsifyCase out{.own_u = false, .certify = true};
  const bool budget = read.below(kSettingGene, 0.5);
  const bool positive = budget && read.below(kSignGene, 0.5);
  const bool narrow = read.below(kWorldGene, 0.25);
  const char* world = narrow ? "misspecified" : read.below(kWorldGene, 0.4) ? "finite" : "linear";
  Genes linear = genes;
  if (narrow) linear[kFirstGene] = 0.0;  // strength 0
  Drawn drawn = draw_free(Reader(linear), world, positive, budget);
  if (narrow && !read.below(kSecondGene, 0.3)) {
    drawn.spec.insert(drawn.spec.size() - 1,
                      fmt::format(",spread={}", read.power(kSecondGene, 10.0, -2.5, 0.0)));
  }
  out.world = wrapped(read, drawn.spec);
  out.setting = !budget    ? Setting::kExpectation
                : positive ? Setting::kKnapsack
                           : Setting::kLinearConstraints;
  out.policy = read.word(kOracleGene, kPolicies);
  if (const std::size_t at = out.policy.find("{}"); at != std::string::npos) {
    out.policy.replace(at, 2, name_of(out.setting));
  }
  const double most = drawn.costs > 1 ? static_cast<double>(kMostRoundsOfManyCosts)
                                      : static_cast<double>(kMostWork) / (drawn.actions * 2);
  out.rounds = static_cast<std::int64_t>(
      std::min(exp(log(2.0) * (3.0 + 12.0 * read.unit(kRoundsGene))), most));
  if (!read.below(kDelayGene, 0.85)) {
    out.delay = static_cast<int>(1.0 + read.rest(kDelayGene, 0.85) *
                                           static_cast<double>(out.rounds) / 4.0);
  }
  out.seed = 1 + static_cast<std::uint64_t>(read.unit(kSeedGene) * 0x1p20);
  return out;
}

FalsifyCase make_case(const Genes& genes) {
  const Reader read(genes);
  FalsifyCase out;
  out.setting = kSettings[read.pick(kSettingGene, kSettingCount)];
  out.long_term = has_budget(out.setting);
  const Drawn drawn = draw_world(read, out.setting);
  out.world = wrapped(read, drawn.spec);
  const bool anytime =
      out.setting != Setting::kLinearConstraints && read.below(kHorizonGene, kAnytimeShare);
  out.policy = fmt::format("ccb({}{},setting={},tuning=theory{})", anytime ? "horizon=0," : "",
                           oracle_of(read, out.setting, drawn, out), name_of(out.setting),
                           scales_of(read, out.setting));
  // Where no margin is given, the run measures it, and other bounds are judged.
  if (out.setting == Setting::kSlater && !read.below(kSecondGene, 0.3)) out.margin = drawn.margin;
  const double most = out.long_term && drawn.costs > 1
                          ? static_cast<double>(kMostRoundsOfManyCosts)
                          : static_cast<double>(kMostWork) / (drawn.actions * (1 + drawn.costs));
  // Cubed: short runs reveal as much in less time. The bounds by a margin have more chance in them,
  // which is large beside them in short runs.
  const double unit = read.unit(kRoundsGene);
  const double length = out.setting == Setting::kSlater ? unit : unit * unit * unit;
  out.rounds =
      static_cast<std::int64_t>(std::min(exp(log(2.0) * (3.0 + 14.0 * length)), most));
  if (!read.below(kDelayGene, 0.85)) {
    const double share = read.rest(kDelayGene, 0.85);
    out.delay = static_cast<int>(1.0 + share * share * static_cast<double>(out.rounds));
  }
  out.seed = 1 + static_cast<std::uint64_t>(read.unit(kSeedGene) * 0x1p20);
  return out;
}

}  // namespace rein
