#include "rein/falsify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>

#include "base/size.h"
#include "evaluate/falsify_calls.h"
#include "base/pool.h"
#include "evaluate/run.h"

namespace rein {
namespace {

// All cases of a generation are made before any of them runs, so they do not depend on threads.
constexpr std::int64_t kGeneration = 48;
constexpr double kFresh = 0.35;     // share of cases made from scratch
constexpr std::size_t kElites = 5;  // kept per quantity, to be varied
constexpr std::size_t kShown = 3;   // offenders shown per quantity
constexpr int kOtherSeeds = 8;
constexpr double kCertificates = 0.25;  // share of cases for the certificate, unless told
constexpr std::string_view kCertificate = "certificate";
constexpr std::uint64_t kHuntStream = 0x66616c73;

// The result of one case.
struct Tried {
  Genes genes{};
  bool certify = false;  // a case for the certificate
  bool done = false;  // false: the time ran out
  Setting setting = Setting::kExpectation;
  std::string refusal;
  std::vector<Call> calls;
};

Result<Totals> played(const FalsifyCase& of) {
  auto world = parse_spec(of.world, "world spec");
  if (!world) return world.failure();
  auto policy = parse_spec(of.policy, "policy spec");
  if (!policy) return policy.failure();
  auto result = run(world.value(), {policy.value()}, of.options());
  if (!result) return result.failure();
  return result.value().policies[0].totals[0];
}

std::vector<Call> tightened(std::vector<Call> calls, double by) {
  for (Call& call : calls) call.bound /= by;
  return calls;
}

FalsifyCase case_of(const Genes& genes, bool certify) {
  return certify ? make_certificate_case(genes) : make_case(genes);
}

void try_case(Tried& tried, double tighten) {
  const FalsifyCase of = case_of(tried.genes, tried.certify);
  auto totals = played(of);
  tried.done = true;
  tried.setting = of.setting;
  if (totals) {
    tried.calls = tightened(calls_of(of, totals.value()), tighten);
  } else {
    tried.refusal = fmt::format("{}: {}", of.command(), totals.error());
  }
}

class Hunt {
 public:
  Hunt(const FalsifyOptions& options, std::optional<Setting> setting)
      : options_(options),
        setting_(setting),
        certificates_(options.setting == kCertificate ? 1.0
                      : setting_                      ? 0.0
                                                      : kCertificates),
        rng_(options.seed, kHuntStream) {}

  Falsification run() {
    while (!over()) {
      std::vector<Tried> generation = next_generation();
      run_jobs(static_cast<std::int64_t>(generation.size()), threads_of(options_.threads),
               [&](std::int64_t index) {
                 if (late()) return false;
                 try_case(generation[as_size(index)], options_.tighten);
                 return true;
               });
      for (const Tried& tried : generation) take(tried);
      tell();
    }
    look_again();
    for (const Elites& kind : elites_) {
      for (const auto& [of, elites] : kind) close(elites[0].call);
    }
    return std::move(found_);
  }

 private:
  struct Elite {
    Genes genes;
    Call call;
  };
  using Elites = std::map<std::pair<std::string, Setting>, std::vector<Elite>>;

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool late() const { return options_.seconds > 0.0 && seconds() >= options_.seconds; }
  bool over() const { return late() || (options_.cases > 0 && made_ >= options_.cases); }

  void tell() const {
    if (!options_.progress) return;
    const bool timed = options_.seconds > 0.0;
    const double all = timed ? 1e3 * options_.seconds : static_cast<double>(options_.cases);
    const double done = timed ? 1e3 * seconds() : static_cast<double>(made_);
    options_.progress(static_cast<std::int64_t>(std::min(done, all)),
                      static_cast<std::int64_t>(all));
  }

  std::vector<Tried> next_generation() {
    std::int64_t size = kGeneration;
    if (options_.cases > 0) size = std::min(size, options_.cases - made_);
    made_ += size;
    std::vector<Tried> generation(as_size(size));
    for (Tried& tried : generation) {
      tried.certify = certificates_ == 1.0;
      if (certificates_ > 0.0 && certificates_ < 1.0) tried.certify = rng_.uniform() < certificates_;
      tried.genes = next_genes(elites_[tried.certify ? 1 : 0]);
      if (setting_) tried.genes[kSettingGene] = gene_of(*setting_);
    }
    return generation;
  }

  Genes next_genes(const Elites& of) {
    if (of.empty() || rng_.uniform() < kFresh) return random_genes(rng_);
    // Of two bounds, prefers the one that a run came closer to. The others are explored too, but
    // less.
    const std::vector<Elite>& one = any_elites(of);
    const std::vector<Elite>& other = any_elites(of);
    const std::vector<Elite>& elites = one[0].call.ratio() > other[0].call.ratio() ? one : other;
    return mutated(elites[as_size(rng_.below(static_cast<std::int64_t>(elites.size())))].genes,
                   rng_);
  }

  const std::vector<Elite>& any_elites(const Elites& of) {
    auto at = of.begin();
    std::advance(at, rng_.below(static_cast<std::int64_t>(of.size())));
    return at->second;
  }

  void take(const Tried& tried) {
    if (!tried.done) return;
    if (!tried.refusal.empty()) {
      if (found_.refused++ == 0) found_.refusal = tried.refusal;
      return;
    }
    ++(tried.calls.empty() ? found_.outside : found_.runs);
    for (const Call& call : tried.calls) {
      keep(tried, call);
      if (call.ratio() > 1.0) accuse(tried, call);
    }
  }

  // Keeps the best few of every quantity and setting, each with a bound of its own. A case that
  // does the same as one already kept is dropped: the search would look only there.
  void keep(const Tried& tried, const Call& call) {
    std::vector<Elite>& elites =
        elites_[tried.certify ? 1 : 0][{call.quantity, tried.setting}];
    const auto same = std::find_if(elites.begin(), elites.end(), [&](const Elite& elite) {
      return elite.call.command == call.command;
    });
    if (same != elites.end()) return;
    const auto better = std::find_if(elites.begin(), elites.end(), [&](const Elite& elite) {
      return call.ratio() > elite.call.ratio();
    });
    elites.insert(better, {tried.genes, call});
    if (elites.size() > kElites) elites.pop_back();
  }

  // The closest call of a quantity, over all settings.
  void close(const Call& call) {
    std::vector<Call>& closest = found_.closest;
    const auto same = std::find_if(closest.begin(), closest.end(), [&](const Call& other) {
      return other.quantity == call.quantity;
    });
    if (same == closest.end()) {
      closest.push_back(call);
    } else if (call.ratio() > same->ratio()) {
      *same = call;
    }
  }

  void accuse(const Tried& tried, const Call& call) {
    ++found_.offences;
    std::size_t shown = 0;
    for (const Call& other : found_.offenders) {
      if (other.quantity != call.quantity) continue;
      if (other.command == call.command) return;
      ++shown;
    }
    if (shown >= kShown) return;
    found_.offenders.push_back(call);
    accused_.push_back({.genes = tried.genes, .certify = tried.certify});
  }

  // A true bound fails with a small chance: how often other seeds pass it too tells that from a
  // false one.
  void look_again() {
    for (std::size_t i = 0; i < found_.offenders.size(); ++i) {
      Call& offender = found_.offenders[i];
      FalsifyCase of = case_of(accused_[i].genes, accused_[i].certify);
      for (int s = 0; s < kOtherSeeds; ++s) {
        ++of.seed;
        const auto totals = played(of);
        if (!totals) continue;
        ++offender.others;
        const auto calls = tightened(calls_of(of, totals.value()), options_.tighten);
        offender.others_above += std::any_of(calls.begin(), calls.end(), [&](const Call& call) {
          return call.quantity == offender.quantity && call.ratio() > 1.0;
        });
      }
    }
  }

  FalsifyOptions options_;
  std::optional<Setting> setting_;  // of every case
  double certificates_;             // share of cases
  Rng rng_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::int64_t made_ = 0;
  Falsification found_;
  std::array<Elites, 2> elites_;  // of the theorem, and of the certificate
  std::vector<Tried> accused_;    // one per offender
};

}  // namespace

Result<Falsification> falsify(const FalsifyOptions& options) {
  if (!(options.seconds >= 0.0 && options.seconds <= 1e9) || options.cases < 0 ||
      (options.seconds == 0.0 && options.cases == 0)) {
    return Error{fmt::format("falsify: {} seconds, {} cases; accepted: one of them above 0",
                             options.seconds, options.cases)};
  }
  if (!(options.tighten >= 1.0 && options.tighten <= 1e6)) {
    return Error{fmt::format("falsify: bounds are to be divided by {}; accepted: 1 to 1e6",
                             options.tighten)};
  }
  std::optional<Setting> setting;
  if (!options.setting.empty() && options.setting != kCertificate) {
    auto parsed = parse_setting(options.setting);
    if (!parsed) {
      return Error{fmt::format("falsify: {}; or certificate", parsed.error())};
    }
    setting = parsed.value();
  }
  return Hunt(options, setting).run();
}

}  // namespace rein
