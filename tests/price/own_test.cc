// pricer=own: a potential that the caller brings, checked against its conditions.
#include "price/own.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "price/books.h"
#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

// Any value and slope.
class Free final : public OwnPotential {
 public:
  using Function = std::function<double(double)>;
  Free(Function value, Function slope) : value_(std::move(value)), slope_(std::move(slope)) {}
  double value(int, double queue) const override { return value_(queue); }
  double slope(int, double queue) const override { return slope_(queue); }

 private:
  Function value_, slope_;
};

Own own(Free::Function value, Free::Function slope, const std::string& name = "own") {
  return {.potentials = {{name, std::make_shared<Free>(std::move(value), std::move(slope))}}};
}

std::string saved_own(const Pricer& pricer) {
  ByteWriter out;
  pricer.save(out);
  return out.bytes();
}

TEST(OwnPrice, WithTheQuadraticPotentialIsQuadratic) {
  const double v = one_cost().root();
  const auto mine = make("own", one_cost(), square(v));
  const auto ours = make("quadratic", one_cost());
  Rng rng(4);
  for (int t = 0; t < 90; ++t) {
    const Costs cost = {2.0 * rng.uniform() - 1.0};
    pay(*mine, {cost});
    pay(*ours, {cost});
    const Prices a = price_of(*mine, {0.25}), b = price_of(*ours, {0.25});
    EXPECT_EQ(a.scaled, b.scaled);
    EXPECT_EQ(a.log_scale, b.log_scale);
  }
  EXPECT_EQ(mine->queues(), ours->queues());
}

TEST(OwnPrice, EveryConvexNonDecreasingPotentialIsTaken) {
  const auto linear = own([](double q) { return 3.0 + 0.5 * q; }, [](double) { return 0.5; });
  EXPECT_EQ(plain(price_of(*make("own", one_cost(), linear)), 0), 0.5);
  const auto nothing = own([](double) { return 0.0; }, [](double) { return 0.0; });
  EXPECT_EQ(refusal("own", one_cost(), nothing), "made");
  const auto exponential = own([](double q) { return std::exp(0.1 * q); },
                               [](double q) { return 0.1 * std::exp(0.1 * q); });
  EXPECT_EQ(refusal("own", one_cost(), exponential), "made");
  const auto kink = own([](double q) { return q > 50.0 ? q - 50.0 : 0.0; },
                        [](double q) { return q > 50.0 ? 1.0 : 0.0; });
  EXPECT_EQ(refusal("own", one_cost(), kink), "made");  // a subgradient is accepted
}

TEST(OwnPrice, SaysWhereAConditionFails) {
  const auto concave = own([](double q) { return std::sqrt(q + 200.0); },
                           [](double q) { return 0.5 / std::sqrt(q + 200.0); });
  EXPECT_THAT(refusal("own", one_cost(), concave),
              HasSubstr("its slope falls from 0.05 at queue -100 to"));
  const auto falling = own([](double q) { return q * q; }, [](double q) { return 2.0 * q; });
  EXPECT_EQ(refusal("own", one_cost(), falling),
            "pricer spec: potential \"own\" of cost 0: found value 10000 and slope -200 at queue "
            "-100; accepted: a finite value and a slope of 0 to 1e+100");
  const auto wrong = own([](double q) { return q > 0.0 ? q * q : 0.0; },
                         [](double q) { return q > 0.0 ? q : 0.0; });
  EXPECT_THAT(refusal("own", one_cost(), wrong),
              HasSubstr("accepted: a slope that is the derivative of the value"));
  const auto steep = own([](double q) { return std::exp(20.0 * q); },
                         [](double q) { return 20.0 * std::exp(20.0 * q); });
  EXPECT_THAT(refusal("own", one_cost(), steep),
              HasSubstr("at queue 12.5; accepted: a finite value and a slope of 0 to 1e+100"));
  const auto jump = own([](double q) { return q < 99.0 ? 0.0 : NAN; }, [](double) { return 0.0; });
  EXPECT_THAT(refusal("own", one_cost(), jump), HasSubstr("value nan and slope 0 at queue 100"));
}

TEST(OwnPrice, TheGridReachesAsFarAsQueuesDo) {
  const auto cliff = own([](double q) { return q <= 100.0 ? 0.0 : NAN; },
                         [](double q) { return q <= 100.0 ? 0.0 : NAN; });
  EXPECT_EQ(refusal("own", one_cost(), cliff), "made");  // 100 rounds
  Terms more = one_cost();
  more.rounds = 101;
  EXPECT_THAT(refusal("own", more, cliff), HasSubstr("at queue 101"));
  Terms paced = one_cost();
  paced.rates = {-0.5};
  EXPECT_THAT(refusal("own", paced, cliff), HasSubstr("at queue"));
  // A violation beyond the grid is found when the price is computed, and changes nothing.
  const auto pricer = make("own", one_cost(), cliff);
  pay(*pricer, {{60.0}});
  const std::string before = saved_own(*pricer);
  Prices prices;
  EXPECT_THROW(pricer->price({.reserved = {50.0}}, prices), Failure);
  EXPECT_EQ(saved_own(*pricer), before);
}

TEST(OwnPrice, IsKnownByItsName) {
  const auto flat = [](double) { return 0.0; };
  const Own named = own(flat, flat, "mine");
  EXPECT_EQ(refusal("own(name=mine)", one_cost(), named), "made");
  EXPECT_EQ(
      refusal("own", one_cost(), named),
      "pricer spec: own(name=\"own\") is a piece that the caller brings, and none was brought "
      "under this name; see docs/own.md");
}

TEST(OwnPrice, RefusesTheStateOfAnotherPotential) {
  const auto pricer = make("own", one_cost());
  pay(*pricer, {{0.5}});
  const std::string bytes = saved_own(*pricer);
  const auto same = make("own", one_cost());
  ByteReader again(bytes);
  EXPECT_TRUE(same->load(again).ok());
  EXPECT_EQ(same->queues(), pricer->queues());
  const auto other = make("own", one_cost(), square(41.0));
  ByteReader in(bytes);
  EXPECT_EQ(other->load(in).error(), "saved state is of a potential \"own\" with other slopes");
}

}  // namespace
}  // namespace rein
