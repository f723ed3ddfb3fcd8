// rein/explain.h
#include "rein/explain.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "engine.h"

namespace rein::bind {
namespace {

using ActionList = std::vector<std::int32_t>;
using Named = std::vector<std::pair<std::string, std::string>>;

nb::list parts_of(const std::vector<Explanation>& all) {
  nb::list list;
  for (const Explanation& one : all) {
    nb::list heads;
    for (const HeadExplanation& head : one.heads) {
      nb::list terms;
      for (const Term& term : head.terms) {
        terms.append(nb::make_tuple(term.context, term.feature, term.weight, term.value));
      }
      heads.append(nb::make_tuple(head.estimate, head.width, head.has_weights, head.linear,
                                  head.rest, head.prior, head.calibration, terms));
    }
    list.append(nb::make_tuple(one.action_id, one.chosen, one.probability, one.score, one.bonus,
                               std::vector<double>(one.prices.begin(), one.prices.end()), heads));
  }
  return list;
}

nb::list explain_id(Shared& shared, std::uint64_t id, const ActionList& which, bool all) {
  const ExplainOptions options{.all = all, .action_ids = which};
  Shared::Hold engine(shared);
  for (const DecideRecord& record : shared.explained) {
    if (record.id == id && !engine->open_record(id)) return parts_of(unwrap(explain(*engine, record, options)));
  }
  return parts_of(unwrap(explain(*engine, id, options)));
}

nb::list explain_round(Shared& shared, int actions, const Array<1>& context,
                       const Array<2>& features, const Array<1, const std::int32_t>& ids,
                       const ActionList& which, bool all, const Named& scopes) {
  const Round round{.actions = actions,
                    .context = span_of(context),
                    .features = span_of(features),
                    .ids = span_of(ids)};
  const ExplainOptions options{.all = all, .action_ids = which};
  std::vector<Scope> views;
  for (const auto& [dimension, key] : scopes) views.push_back({dimension, key});
  return parts_of(unwrap(explain(*Shared::Hold(shared), round, options, {.scopes = views})));
}

}  // namespace

void bind_explain(nb::module_& module) {
  module.def("explain", &explain_id);
  module.def("explain_round", &explain_round);
}

}  // namespace rein::bind
