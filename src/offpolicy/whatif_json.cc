#include "rein/whatif.h"

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

Json points_of(const Whatif& curve, const std::vector<CurvePoint>& points) {
  Json::List out;
  for (const CurvePoint& point : points) {
    Json::Object one{{"budget", point.budget}, {"possible", point.possible}};
    if (point.possible) {
      one.emplace_back("binding", point.binding);
      one.emplace_back("price", point.price);
      if (!curve.limits.empty()) one.emplace_back("held_price", point.held_price);
      one.emplace_back("values", values_of(curve, point.values));
      one.emplace_back("shares", shares_of(curve, point.shares));
      one.emplace_back("effective_size", point.effective_size);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

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
                      {"missing", curve.missing},
                      {"adaptive", curve.adaptive},
                      {"estimated_propensities", curve.estimated},
                      {"least", curve.least},
                      {"most", curve.most},
                      {"points", points_of(curve, curve.points)},
                      {"fixed_mix", points_of(curve, curve.fixed)},
                      {"logged", Json::Object{{"values", values_of(curve, curve.logged)},
                                              {"shares", shares_of(curve, curve.logged_shares)}}},
                      {"verdict", list(curve.verdict)},
                      {"warnings", list(curve.warnings)}};
}

}  // namespace rein
