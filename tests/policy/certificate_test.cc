// The certificate of what tuning=auto plays: what it adds up, and that it is saved.
#include "policy/certificate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "policy/play.h"
#include "rein/bytes.h"

namespace rein {
namespace {

const Shape kCertificateShape{.actions = 2, .context = 1, .costs = {{"dollars", {0.0, 10.0}}}};
const std::vector<double> kUnits{1.0, 10.0};
const std::vector<double> kContext{0.5};
const Round kRound{.actions = 2, .context = kContext};

std::unique_ptr<Oracle> oracle_of(const char* spec) {
  return make_oracle(parse_spec(spec).value(), kCertificateShape).value();
}

// What the oracle says now, with the reward and the cost of action 1 raised.
Decision decision_of(const Oracle& oracle, double reward, double cost) {
  Decision d;
  d.prepare(2, 2);
  Scratch scratch;
  scratch.reset(oracle.scratch());
  oracle.predict(kRound, scratch, d.estimates);
  d.action = 1;
  d.predicted = Costs(1);
  d.predicted[0] = d.estimates.mean(1)[1] / 10.0;
  d.estimates.mean(0)[1] += reward;
  d.estimates.mean(1)[1] += cost;
  return d;
}

void look(Certificate& certificate, const Decision& d, bool fresh, double lift = 0.0) {
  Certificate::Played with{.lift = lift, .costs = Costs(1)};
  if (d.estimates.actions() == 2) with.costs[0] = d.estimates.mean(1)[1] / 10.0;
  certificate.look(kRound, d, with, fresh);
}

TEST(Certificate, AddsUpBonusesAndCorrections) {
  const auto oracle = oracle_of("optimistic(alpha=0.5,of=vaw(bias=0))");
  Certificate certificate(kCertificateShape, *oracle, kUnits);
  const double x = certificate.plain(0);
  EXPECT_NEAR(x, 2.0 * plain(*oracle).regret() + 8.0 * std::log(2.0 / 0.05), 1e-12);
  EXPECT_NEAR(certificate.played(x), x, 1e-12);
  // A bonus of alpha^2 w = 0.25 x 0.25, and a correction of 3 dollars, 0.3 in units.
  look(certificate, decision_of(*oracle, 0.0, 3.0), /*fresh=*/true);
  EXPECT_NEAR(certificate.played(x), x, 1e-12) << "a look alone changes nothing";
  certificate.learn();
  EXPECT_NEAR(certificate.played(x), std::pow(std::sqrt(x) + 0.3, 2.0), 1e-12);
  for (int t = 0; t < 2; ++t) {
    look(certificate, decision_of(*oracle, 0.0, 0.0), true);
    certificate.learn();
  }
  EXPECT_NEAR(certificate.played(x), std::pow(std::sqrt(x) + std::sqrt(3 * 0.0625), 2.0), 1e-12);
}

// What a prior adds to the reward counts together with the bonus.
TEST(Certificate, AddsUpWhatAPriorLifts) {
  const auto oracle = oracle_of("optimistic(alpha=0.5,of=vaw(bias=0))");
  Certificate certificate(kCertificateShape, *oracle, kUnits);
  look(certificate, decision_of(*oracle, 0.1, 0.0), /*fresh=*/true, /*lift=*/0.1);
  certificate.learn();
  EXPECT_NEAR(certificate.played(4.0), std::pow(2.0 + 0.35, 2.0), 1e-12);
}

// One that waited is held to what the oracle says now.
TEST(Certificate, ALateOutcomeCountsByHowOldItsEstimateIs) {
  const auto oracle = oracle_of("vaw");
  Certificate certificate(kCertificateShape, *oracle, kUnits);
  const double x = 25.0;
  look(certificate, decision_of(*oracle, 0.4, 0.0), /*fresh=*/false);
  certificate.learn();
  EXPECT_NEAR(certificate.played(x), 5.4 * 5.4, 1e-12);
  Decision unknown;
  unknown.action = 1;
  look(certificate, unknown, false);
  certificate.learn();
  EXPECT_NEAR(certificate.played(x), std::pow(5.0 + std::sqrt(4.16), 2.0), 1e-12);
}

// What tuning=auto adds to a score counts in full; with a late outcome, on top of how old it is.
TEST(Certificate, CountsTheBonusOfTheScore) {
  const auto oracle = oracle_of("vaw");
  Certificate certificate(kCertificateShape, *oracle, kUnits);
  const double x = 25.0;
  certificate.look(kRound, decision_of(*oracle, 0.0, 0.0), {.bonus = 0.3, .costs = Costs{0.0}},
                   /*fresh=*/true);
  certificate.learn();
  EXPECT_NEAR(certificate.played(x), 5.3 * 5.3, 1e-12);
  certificate.look(kRound, decision_of(*oracle, -0.3, 0.0), {.bonus = 0.1, .costs = Costs{0.0}},
                   /*fresh=*/false);
  certificate.learn();
  EXPECT_NEAR(certificate.played(x), 5.5 * 5.5, 1e-12);  // 0.3^2 + 0.4^2
}

TEST(Certificate, IsSavedWithThePolicy) {
  const Case c{.spec = "ccb(rate=0.1)", .name = "", .shape = kCertificateShape};
  Game game(c), other(c);
  game.play(0, 60);
  other.policy->load(game.policy->save()).check();
  EXPECT_EQ(other.policy->state().u, game.policy->state().u);
  other.rng = game.rng;
  game.play(60, 70);
  other.play(60, 70);
  EXPECT_EQ(other.policy->state().u, game.policy->state().u);
  EXPECT_TRUE(other.policy->save() == game.policy->save());
}

TEST(Certificate, RefusesBytesThatAreNoSums) {
  const auto oracle = oracle_of("vaw");
  Certificate certificate(kCertificateShape, *oracle, kUnits);
  ByteWriter out;
  out.tag("certificate");
  out.f64s(std::vector<double>{-1.0, 0.0});
  ByteReader in(out.bytes());
  certificate.load(in);
  EXPECT_FALSE(in.finish().ok());
}

}  // namespace
}  // namespace rein
