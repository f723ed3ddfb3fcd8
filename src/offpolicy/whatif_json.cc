#include <iterator>
#include <utility>

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

Json bands_of(const Whatif& curve, const std::vector<SensitivityBand>& bands) {
  Json::Object out;
  for (std::size_t h = 0; h < bands.size(); ++h) {
    const SensitivityBand& band = bands[h];
    out.emplace_back(curve.heads[h],
                     Json::Object{{"value", band.value}, {"low", band.low}, {"high", band.high}});
  }
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
    out.emplace_back("sensitivity", bands_of(curve, point.sensitivity));
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
  return Json::Object{{"cost", heads[static_cast<std::size_t>(grid.cost)]},
                      {"other", heads[static_cast<std::size_t>(grid.other)]},
                      {"budgets", list(grid.budgets)},
                      {"limits", list(grid.limits)},
                      {"rows", std::move(rows)}};
}

}  // namespace

Json to_value(const WhatifReport& report) {
  Json::Object out{{"version", kWhatifVersion},
                   {"rein", version()},
                   {"title", report.title},
                   {"command", report.command}};
  Json::List curves;
  for (const Whatif& curve : report.curves) curves.push_back(to_value(curve));
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
  Json::List limits;
  for (const HeadLimit& limit : curve.limits) {
    limits.push_back(Json::Object{{"head", curve.heads[static_cast<std::size_t>(limit.head)]},
                                  {"amount", limit.amount},
                                  {"kind", limit.at_least ? "at_least" : "at_most"}});
  }
  return Json::Object{{"kind", "whatif"},
                      {"cost", curve.heads[static_cast<std::size_t>(curve.cost)]},
                      {"heads", list(curve.heads)},
                      {"actions", list(curve.actions)},
                      {"limits", std::move(limits)},
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
                      {"verdict", list(curve.verdict)},
                      {"warnings", list(curve.warnings)}};
}

}  // namespace rein
