#include "policy/peers/lagrange.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "policy/peers/peer.h"

namespace rein {
namespace {

// Every key of lagrange, as given.
struct Keys {
  explicit Keys(SpecReader& read)
      : plan(read, PlanKeys::Classes::kTwo),
        delta(read.number("delta", 0.05, {.above = 0.0, .high = 1.0})),
        margin(read.number("margin", Limits{.above = 0.0, .high = 1.0})),
        dual(read.word("dual", "hedge", {"hedge", "fixed_share"})),
        share(read.number("share", Limits{.low = kMinScale, .high = 1.0})),
        null(read_null(read)) {
    const Limits scale{.low = kMinScale, .high = kMaxScale};
    gamma_scale = read.number("gamma_scale", 1.0, scale);
    eta_scale = read.number("eta_scale", 1.0, scale);
    read_eta(read);
    if (share && dual != "fixed_share") {
      read.refuse("key \"share\" needs the dual that takes it; accepted: dual=fixed_share");
    }
    if (rule == "margin" && !margin) {
      read.refuse("eta=margin needs to know the margin; accepted: margin=ZETA in (0, 1]");
    }
    if (rule == "stop" && null == kNoNull) {
      read.refuse("eta=stop needs an action to stop with; accepted: null=ACTION_ID, or eta=1");
    }
  }

  // A rule by name, or the number itself.
  void read_eta(SpecReader& read) {
    const SpecValue* value = read.value("eta");
    if (!value) return;
    if (const double* given = std::get_if<double>(&value->is)) {
      number = *given;
      if (number >= kMinParameter && number <= kMaxParameter) return;
    } else if (const Spec* word = std::get_if<Spec>(&value->is); word && word->options.empty()) {
      rule = word->name;
      if (rule == "budget" || rule == "margin" || rule == "stop") return;
    }
    read.wrong("eta", *value, "budget, margin, stop, or a number above 0");
  }

  PlanKeys plan;
  double delta;
  std::optional<double> margin;
  std::string dual;
  std::optional<double> share;
  std::int64_t null;
  std::string rule = "budget";
  std::optional<double> number;
  double gamma_scale, eta_scale;
};

double eta_of(const Keys& keys, const Terms& terms, const Form& form) {
  if (keys.number) return *keys.number;
  if (keys.rule == "margin") return 2.0 / *keys.margin;
  if (keys.rule == "stop") return 1.0;
  const double mt = std::max(terms.costs, 1) * static_cast<double>(terms.rounds);
  // A delta of 1 at T = 1 would leave nothing under the root.
  const double r = std::sqrt(mt * terms.u * std::max(log(mt / keys.delta), 1.0));
  return std::sqrt(form.budget() / r);
}

}  // namespace

Result<std::unique_ptr<Policy>> make_lagrange(const Spec& spec, const Shape& shape,
                                              const Own& own) {
  SpecReader read(spec, "policy spec");
  const Keys keys(read);
  if (auto done = read.finish(); !done) return done.failure();
  auto planned = plan_knapsack(spec, keys.plan, shape, own);
  if (!planned) return planned.failure();
  auto& [plan, form] = planned.value();

  const Terms& terms = plan.terms;
  const double b = form.rate();
  const double eta = keys.eta_scale * eta_of(keys, terms, form);
  const double kt = static_cast<double>(terms.actions) * static_cast<double>(terms.rounds);
  PeerParts parts{.specs = {Spec(keys.dual), Spec("constant"), Spec("igw")}, .null = keys.null};
  Spec& pricer = parts.specs.pricer;
  pricer.set("reach", {.is = eta / b});  // the step is the pricer's own: eta cancels in it
  if (keys.share) pricer.set("share", {.is = *keys.share});
  const double scores = terms.costs == 0 ? 1.0 : b / eta;  // without costs there is no dual
  parts.specs.gain.set("gamma", {.is = scores * std::sqrt(kt / ((terms.costs + 1.0) * terms.u))});
  plan.terms.gamma_scale = keys.gamma_scale;
  return compose_peer(spec, std::move(plan), form, std::move(parts));
}

}  // namespace rein
