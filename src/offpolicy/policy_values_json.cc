#include <cmath>

#include "rein/policy_values.h"

namespace rein {
namespace {

template <class Items>
Json list(const Items& items) {
  Json::List out;
  for (const auto& item : items) out.push_back(Json(item));
  return out;
}

// One object per head: value, error, low, high.
Json heads_of(const PolicyValues& found, const PolicyValue& value) {
  Json::Object out;
  const std::size_t heads = found.heads.size();
  for (std::size_t h = 0; h < heads; ++h) {
    Json::Object one{{"value", value.value[h]},
                     {"error", std::sqrt(value.covariance[h * heads + h])},
                     {"low", value.low[h]},
                     {"high", value.high[h]}};
    if (!value.error_rows.empty()) one.emplace_back("error_rows", value.error_rows[h]);
    if (!value.bias.empty()) one.emplace_back("bias", value.bias[h]);
    out.emplace_back(found.heads[h], std::move(one));
  }
  return out;
}

Json value_of(const PolicyValues& found, const PolicyValue& value) {
  return Json::Object{{"estimator", value.estimator},
                      {"heads", heads_of(found, value)},
                      {"covariance", list(value.covariance)}};
}

Json overlap_of(const PolicyValues& found, const Overlap& overlap) {
  Json::Object calibration;
  for (std::size_t a = 0; a < overlap.calibration.size(); ++a) {
    calibration.emplace_back(
        found.actions[a],
        Json::Object{{"mean", overlap.calibration[a]}, {"error", overlap.calibration_error[a]}});
  }
  return Json::Object{{"effective_size", overlap.effective_size},
                      {"expected_size", overlap.expected_size},
                      {"floor_size", overlap.floor_size},
                      {"variance_rows", overlap.variance_rows},
                      {"largest_weight", overlap.largest_weight},
                      {"top_share", overlap.top_share},
                      {"mean_weight", overlap.mean_weight},
                      {"mean_weight_error", overlap.mean_weight_error},
                      {"uncovered", overlap.uncovered},
                      {"balance", overlap.balance},
                      {"balance_limit", overlap.balance_limit},
                      {"calibration", std::move(calibration)}};
}

void add_replay(const PolicyValues& found, const PolicyLine& line, Json::Object& out) {
  if (!line.replay) return;
  const LogReplay& replay = *line.replay;
  out.emplace_back("replay", Json::Object{{"horizon", replay.horizon},
                                          {"accepted", replay.accepted},
                                          {"rows", replay.rows},
                                          {"least", replay.least},
                                          {"rejection", value_of(found, replay.rejection)}});
}

Json line_of(const PolicyValues& found, const PolicyLine& line) {
  Json::List estimates;
  for (const PolicyValue& value : line.evaluation.values) {
    estimates.push_back(value_of(found, value));
  }
  const Evaluation& evaluation = line.evaluation;
  Json::Object out{{"policy", line.name},
                   {"kind", line.kind},
                   {"recommended", evaluation.values[evaluation.recommended].estimator},
                   {"used", evaluation.used},
                   {"missing", evaluation.missing},
                   {"switch_at", evaluation.switch_at},
                   {"shrink", evaluation.shrink},
                   {"estimates", std::move(estimates)},
                   {"overlap", overlap_of(found, evaluation.overlap)}};
  add_replay(found, line, out);
  if (line.region) {
    out.emplace_back("region", Json::Object{{"possible", line.region->possible},
                                            {"certain", line.region->certain},
                                            {"low", line.region->low},
                                            {"high", line.region->high}});
  }
  Json::Object sequences, bands;
  for (std::size_t h = 0; h < line.sequences.size(); ++h) {
    sequences.emplace_back(found.heads[h], Json::Object{{"low", line.sequences[h].low.back()},
                                                        {"high", line.sequences[h].high.back()}});
  }
  for (std::size_t h = 0; h < line.sensitivity.size(); ++h) {
    const SensitivityBand& band = line.sensitivity[h];
    bands.emplace_back(found.heads[h],
                       Json::Object{{"value", band.value}, {"low", band.low}, {"high", band.high}});
  }
  if (!sequences.empty()) out.emplace_back("sequence", std::move(sequences));
  if (!bands.empty()) out.emplace_back("sensitivity", std::move(bands));
  if (line.difference) {
    out.emplace_back("difference",
                     Json::Object{{"rows", line.difference->rows},
                                  {"heads", heads_of(found, line.difference->value)}});
  }
  out.emplace_back("warnings", list(evaluation.warnings));
  return out;
}

}  // namespace

Json to_value(const PolicyValues& found) {
  Json::List limits, policies;
  for (const HeadLimit& limit : found.limits) {
    limits.push_back(Json::Object{{"head", found.heads[static_cast<std::size_t>(limit.head)]},
                                  {"amount", limit.amount},
                                  {"kind", limit.at_least ? "at_least" : "at_most"}});
  }
  for (const PolicyLine& line : found.policies) policies.push_back(line_of(found, line));
  return Json::Object{{"kind", "evaluate"},
                      {"heads", list(found.heads)},
                      {"actions", list(found.actions)},
                      {"rows", found.rows},
                      {"units", found.units},
                      {"first", found.first},
                      {"adaptive", found.adaptive},
                      {"estimated_propensities", found.estimated},
                      {"lambda", found.lambda},
                      {"limits", std::move(limits)},
                      {"policies", std::move(policies)},
                      {"warnings", list(found.warnings)}};
}

}  // namespace rein
