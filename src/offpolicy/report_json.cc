// Curves and values of policies as JSON. docs/whatif.md and docs/evaluate.md have the keys.
#include <cmath>
#include <iterator>
#include <utility>

#include "offpolicy/rows.h"
#include "rein/policy_values.h"
#include "rein/segments.h"
#include "rein/version.h"
#include "rein/whatif_report.h"

namespace rein {
namespace {

template <class Items>
Json list(const Items& items) {
  Json::List out;
  for (const auto& item : items) out.push_back(Json(item));
  return out;
}

Json limits_of(const std::vector<std::string>& heads, const std::vector<HeadLimit>& limits) {
  Json::List out;
  for (const HeadLimit& limit : limits) {
    out.push_back(Json::Object{{"head", heads[at(limit.head)]},
                               {"amount", limit.amount},
                               {"kind", limit.at_least ? "at_least" : "at_most"}});
  }
  return out;
}

Json bands_of(const std::vector<std::string>& heads, const std::vector<SensitivityBand>& bands) {
  Json::Object out;
  for (std::size_t h = 0; h < bands.size(); ++h) {
    const SensitivityBand& band = bands[h];
    out.emplace_back(heads[h],
                     Json::Object{{"value", band.value}, {"low", band.low}, {"high", band.high}});
  }
  return out;
}

Json value_of(const CurveValue& value) {
  return Json::Object{{"value", value.value},       {"error", value.error},
                      {"low", value.low},           {"high", value.high},
                      {"band_low", value.band_low}, {"band_high", value.band_high}};
}

Json values_of(const Whatif& curve, const std::vector<CurveValue>& values) {
  Json::Object out;
  for (std::size_t h = 0; h < values.size(); ++h)
    out.emplace_back(curve.heads[h], value_of(values[h]));
  return out;
}

Json shares_of(const Whatif& curve, const std::vector<double>& shares) {
  Json::Object out;
  for (std::size_t a = 0; a < shares.size(); ++a) out.emplace_back(curve.actions[a], shares[a]);
  return out;
}

Json point_of(const Whatif& curve, const CurvePoint& point) {
  Json::Object out{{"budget", point.budget}, {"possible", point.possible}};
  if (!point.possible) return out;
  out.emplace_back("binding", point.binding);
  out.emplace_back("price", point.price);
  if (!curve.limits.empty()) out.emplace_back("held_price", point.held_price);
  out.emplace_back("values", values_of(curve, point.values));
  out.emplace_back("shares", shares_of(curve, point.shares));
  out.emplace_back("effective_size", point.effective_size);
  out.emplace_back("expected_size", point.expected_size);
  out.emplace_back("floor_size", point.floor_size);
  out.emplace_back("variance_rows", point.variance_rows);
  out.emplace_back("spend_error", point.spend_error);
  out.emplace_back("skewness", point.skewness);
  out.emplace_back("error_rows", point.error_rows);
  out.emplace_back("balance", point.balance);
  out.emplace_back("balance_limit", point.balance_limit);
  if (!point.sensitivity.empty()) {
    out.emplace_back("sensitivity", bands_of(curve.heads, point.sensitivity));
  }
  return out;
}

Json points_of(const Whatif& curve, const std::vector<CurvePoint>& points) {
  Json::List out;
  for (const CurvePoint& point : points) out.push_back(point_of(curve, point));
  return out;
}

Json share_of(const std::optional<RewardShare>& half) {
  if (!half) return {};
  return Json::Object{{"budget", half->budget},
                      {"of", half->of},
                      {"share", half->share},
                      {"low", half->low},
                      {"high", half->high}};
}

Json gain_of(const CheapestChoice::Gain& gain) {
  return Json::Object{
      {"spend", gain.spend}, {"value", gain.value}, {"low", gain.low}, {"high", gain.high}};
}

Json cheapest_of(const Whatif& curve) {
  if (!curve.cheapest) return {};
  const CheapestChoice& least = *curve.cheapest;
  return Json::Object{{"spend", least.spend},
                      {"action", least.action < 0 ? Json() : Json(curve.actions[at(least.action)])},
                      {"reward", value_of(least.reward)},
                      {"share", share_of(least.share)},
                      {"last", gain_of(least.last)},
                      {"half", gain_of(least.half)},
                      {"half_of_gain", share_of(least.half_of_gain)}};
}

Json grid_of(const WhatifGrid& grid) {
  Json::List rows;
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    const Whatif& row = grid.rows[i];
    rows.push_back(Json::Object{{"limit", grid.limits[i]},
                                {"least", row.least},
                                {"points", points_of(row, row.points)},
                                {"warnings", list(row.warnings)}});
  }
  const std::vector<std::string>& heads = grid.rows[0].heads;
  return Json::Object{{"cost", heads[at(grid.cost)]},
                      {"other", heads[at(grid.other)]},
                      {"budgets", list(grid.budgets)},
                      {"limits", list(grid.limits)},
                      {"rows", std::move(rows)}};
}

// One object per head: value, error, low, high.
Json heads_of(const PolicyValues& found, const PolicyValue& value) {
  Json::Object out;
  const std::size_t heads = found.heads.size();
  for (std::size_t h = 0; h < heads; ++h) {
    Json::Object fields{{"value", value.value[h]},
                     {"error", std::sqrt(value.covariance[h * heads + h])},
                     {"low", value.low[h]},
                     {"high", value.high[h]}};
    if (!value.error_rows.empty()) fields.emplace_back("error_rows", value.error_rows[h]);
    if (!value.bias.empty()) fields.emplace_back("bias", value.bias[h]);
    out.emplace_back(found.heads[h], std::move(fields));
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
  Json::Object sequences;
  for (std::size_t h = 0; h < line.sequences.size(); ++h) {
    sequences.emplace_back(found.heads[h], Json::Object{{"low", line.sequences[h].low.back()},
                                                        {"high", line.sequences[h].high.back()}});
  }
  if (!sequences.empty()) out.emplace_back("sequence", std::move(sequences));
  if (!line.sensitivity.empty()) {
    out.emplace_back("sensitivity", bands_of(found.heads, line.sensitivity));
  }
  if (line.difference) {
    out.emplace_back("difference",
                     Json::Object{{"rows", line.difference->rows},
                                  {"heads", heads_of(found, line.difference->value)}});
  }
  out.emplace_back("warnings", list(evaluation.warnings));
  return out;
}

Json values_of(const Segments& found, const std::vector<SegmentValue>& values) {
  Json::Object out;
  for (std::size_t h = 0; h < values.size(); ++h) {
    const SegmentValue& each = values[h];
    out.emplace_back(found.heads[h],
                     Json::Object{{"value", each.value}, {"low", each.low}, {"high", each.high}});
  }
  return out;
}

Json segment_of(const Segments& found, const Segment& segment) {
  Json::List conditions;
  for (const SegmentCondition& each : segment.conditions) {
    conditions.push_back(Json::Object{
        {"feature", found.columns[at(each.feature)]}, {"above", each.above}, {"at", each.at}});
  }
  Json::Object actions;
  for (std::size_t a = 0; a < segment.actions.size(); ++a) {
    actions.emplace_back(found.actions[a], segment.actions[a]);
  }
  return Json::Object{{"words", segment.words},
                      {"conditions", std::move(conditions)},
                      {"rows", segment.rows},
                      {"share", segment.share},
                      {"action", found.actions[at(segment.action)]},
                      {"actions", std::move(actions)},
                      {"values", values_of(found, segment.values)},
                      {"gain", values_of(found, segment.gain)}};
}

}  // namespace

Json to_value(const Segments& found) {
  Json::List each;
  for (const Segment& segment : found.segments) each.push_back(segment_of(found, segment));
  return Json::Object{{"kind", "segments"},
                      {"cost", found.heads[at(found.cost)]},
                      {"budget", found.budget},
                      {"price", found.price},
                      {"cheapest", found.actions[at(found.cheapest)]},
                      {"grown", found.grown},
                      {"valued", found.valued},
                      {"heads", list(found.heads)},
                      {"segments", std::move(each)},
                      {"all", segment_of(found, found.all)},
                      {"warnings", list(found.warnings)}};
}

Json to_value(const WhatifReport& report) {
  Json::Object out{{"version", kWhatifVersion},
                   {"rein", version()},
                   {"title", report.title},
                   {"command", report.command}};
  Json::List curves;
  for (const Whatif& curve : report.curves) curves.push_back(to_value(curve));
  if (report.segments) out.emplace_back("segments", to_value(*report.segments));
  if (curves.size() == 1 && !report.grid) {
    auto& only = std::get<Json::Object>(curves[0].is);
    out.insert(out.end(), std::make_move_iterator(only.begin()),
               std::make_move_iterator(only.end()));
    return out;
  }
  out.emplace_back("kind", "whatif_slices");
  out.emplace_back("curves", std::move(curves));
  out.emplace_back("grid", report.grid ? grid_of(*report.grid) : Json());
  return out;
}

Json to_value(const Whatif& curve) {
  return Json::Object{{"kind", "whatif"},
                      {"cost", curve.heads[at(curve.cost)]},
                      {"heads", list(curve.heads)},
                      {"actions", list(curve.actions)},
                      {"limits", limits_of(curve.heads, curve.limits)},
                      {"rows", curve.rows},
                      {"units", curve.units},
                      {"missing", curve.missing},
                      {"adaptive", curve.adaptive},
                      {"estimated_propensities", curve.estimated},
                      {"lambda", curve.lambda},
                      {"least", curve.least},
                      {"most", curve.most},
                      {"points", points_of(curve, curve.points)},
                      {"fixed_mix", points_of(curve, curve.fixed)},
                      {"logged", Json::Object{{"values", values_of(curve, curve.logged)},
                                              {"shares", shares_of(curve, curve.logged_shares)}}},
                      {"at_logged", point_of(curve, curve.at_logged)},
                      {"half_of_last", share_of(curve.half_of_last)},
                      {"half_of_logged", share_of(curve.half_of_logged)},
                      {"cheapest", cheapest_of(curve)},
                      {"total", curve.total},
                      {"verdict", list(curve.verdict)},
                      {"warnings", list(curve.warnings)}};
}

Json to_value(const PolicyValues& found) {
  Json::List policies;
  for (const PolicyLine& line : found.policies) policies.push_back(line_of(found, line));
  Json::Object out{{"kind", "evaluate"},
                      {"heads", list(found.heads)},
                      {"actions", list(found.actions)},
                      {"rows", found.rows},
                      {"units", found.units},
                      {"first", found.first},
                      {"adaptive", found.adaptive},
                      {"estimated_propensities", found.estimated},
                      {"lambda", found.lambda},
                      {"limits", limits_of(found.heads, found.limits)},
                      {"policies", std::move(policies)},
                      {"warnings", list(found.warnings)}};
  if (found.title.empty() && found.command.empty()) return out;
  out.emplace_back("rein", version());
  out.emplace_back("title", found.title);
  out.emplace_back("command", found.command);
  return out;
}

}  // namespace rein
