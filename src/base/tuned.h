// The constants of the default policy (`ccb`, tuning=auto) that were chosen by trial, all of them.
//
// None has a unit: they count rounds, plays and outcomes, or multiply what was measured. Limits of memory
// and of rounding are not here but where they bind, and neither are the defaults of options (`tries`,
// `expected_weight`, the factor of the gain `noise`). docs/lab/ablation.md has what halving, doubling or
// leaving out each one does (`make ablation`); where another page measured one, its comment names the page.
#pragma once

#ifdef REIN_ABLATION  // a build for measurements: the environment multiplies constants by their names
#include "base/ablated.h"
#define REIN_TUNED(name, value) inline const auto name = ::rein::ablated(#name, value)
#else
#define REIN_TUNED(name, value) inline constexpr auto name = value
#endif

namespace rein::tuned {

// -- What several parts share -------------------------------------------------------------------------------

// Standard deviations that are treated as chance: of a cost that must fit the free money, and of the mean
// difference between costs and predictions. To correct by all of that difference locks actions out.
REIN_TUNED(kDeviations, 2.0);
// A share below this does not matter: a spend beside its target, the noise that another class gains, a variance
// beside the mean square outcome.
REIN_TUNED(kSlight, 0.01);
// Outcomes over which what moves quickly is averaged (differences of calibration, waits for outcomes), and
// before which the usual difference of the level test is not known.
REIN_TUNED(kShortMemory, 100.0);
// Outcomes over which what is usual is averaged: the differences of the level test, spend and pace.
REIN_TUNED(kLongMemory, 2000.0);
// Noises or mean spreads of the reward that its range is taken to be. It limits prices, and beyond it the noise
// of a cost swamps rewards. After a debt of two budgets 10, 30 and 100 earn 94, 93 and 92 % on average; 10 costs
// 2.4 points elsewhere.
REIN_TUNED(kRewardNoises, 30.0);
// What is only watched learns one outcome in so many: classes that are behind, a wide shadow that looks often for
// changes, and the window of the price once it is full. With 8, curves that were behind play after 4300 outcomes
// that need them, in place of 2600 with 4 and 1600 with 1 (docs/lab/time.md).
REIN_TUNED(kSparse, 4);
// Rounds per parameter from which a function counts as known: optimism is in full, for which plays that money
// buys count too, because what is tried must be used later; prices are rehearsed on all decisions, and below half as
// many on the latest only; classes that are behind learn less. Outcomes of an action before its noise is known.
REIN_TUNED(kKnownRounds, 20.0);
// Rounds from one solution to the next, of the price and of what actions have in common; fits of the shared
// regression per doubling of plays. The shadow of the test for changes learns one outcome in d / 8, but at most so
// many.
REIN_TUNED(kSolveRounds, 8);
// Rounds between solutions at most; prices are solved for this often per doubling of rounds. What actions have in
// common is solved for after each of the first outcomes, so many of them.
REIN_TUNED(kSolveRoundsMost, 64);
// Logarithm of odds (20 to 1) that decide: whether a change is that of one action or of all, and for the shared
// regression of the reward before any play; 0 to 5 were tried there.
REIN_TUNED(kOdds, 3.0);
// Plays over which the mean outcome of an action is taken, so that it follows a drift. The shadow of the test for
// changes remembers as many outcomes, at least.
REIN_TUNED(kMeanPlays, 200.0);

// -- Scales of the features (estimate/unit_features.h; docs/lab/scales.md) ------------

// A scale within this factor of 1 is taken as 1, so that numbers of usual size are learned as they are. Curves
// have one width for numbers whose spreads lie within this factor of the median.
REIN_TUNED(kScaleUsual, 4.0);
// A number this many spreads from 0 is centred, a first scale that is so many times too large is replaced, and
// numbers are cut off this many scales from their centre: one outlier does not teach a slope. Nearer ones stay.
REIN_TUNED(kScaleFar, 32.0);

// -- Few plays, many features (tuning/shared_part.h; docs/lab/few_plays.md) ---------------

// Below this many plays per feature, of all actions, the shared part plays in full; from twice on, not.
REIN_TUNED(kSharedPlays, 0.5);
// Nothing is moved before this many plays: one play says nothing about what actions share.
REIN_TUNED(kSharedFirstPlays, 2.0);
// Steps of expectation maximisation: two move the weight to the features that matter, many keep too few.
REIN_TUNED(kSharedSteps, 2);
// Variance of slopes . x at first, in variances of the noise. Two steps of the estimate forget it partly.
REIN_TUNED(kSharedSignal, 2.0);
// Variance of an action's own constant at first, in variances of the noise.
REIN_TUNED(kSharedOwn, 0.1);

// -- Few rounds (tuning/few_rounds.h; docs/lab/few_plays.md) ----------------------------------------

// Below this many rounds per feature, VAW divides by 1 instead of 1 + w; from twice as many on by 1 + w.
REIN_TUNED(kForwardRounds, 40.0);
// Below this many plays that money buys per parameter, prices are rehearsed on the latest decisions only; from
// twice as many on, on all.
REIN_TUNED(kLaterPlays, 2.0);
// The share of the decisions, the latest, on which prices are rehearsed where rounds or plays are few.
REIN_TUNED(kLaterShare, 0.25);

// -- Optimism (tuning/optimism.h; docs/lab/scales.md) ----------------------------------

// Standard deviations of the reward that an action gets as a bonus, for one of each cost; 2 to 5 were tried.
REIN_TUNED(kOptimismReward, 10.0 / 3.0);
// Largest w that counts: wider estimates are treated as unknown.
REIN_TUNED(kOptimismWidest, 64.0);
// Optimism falls as this over the root of the number of features: widths add up over features.
REIN_TUNED(kOptimismFeatures, 3.0);

// -- Calibrated costs (tuning/calibration.h) -------------------------------------------------------------

// Plays of an action before its predicted costs are corrected.
REIN_TUNED(kCalibrationPlays, 10.0);

// -- Changes of the level (estimate/level.h; docs/lab/changes.md) ---------------------------

// Evidence at which a change is noticed, as a logarithm: false alarms are about exp(-14) per look.
REIN_TUNED(kLevelThreshold, 14.0);
// The change that is looked for, in standard deviations; 0.3 to 0.7 notice as soon.
REIN_TUNED(kLevelShift, 0.4);
// Standard deviations that one outcome may count, so that heavy tails are no change.
REIN_TUNED(kLevelFarthest, 4.0);

// -- Changes of the weights (estimate/change.h; docs/lab/changes.md) ------------------------

// Evidence at which a change is noticed, as a logarithm; 12 to 25 were tried.
REIN_TUNED(kChangeThreshold, 15.0);
// Multiple of the usual gain that is no change: a wrong class gains a little all the time.
REIN_TUNED(kChangeUsual, 2.0);
// The most that one outcome may count, so that heavy tails are no change.
REIN_TUNED(kChangeGain, 2.0);
// Widths above this are not tested: what is not known yet is no change.
REIN_TUNED(kChangeWidth, 0.05);
// Memories of the shadow that the oracle must have learned before it is tested.
REIN_TUNED(kChangeMemories, 4.0);
// Smallest share of the shadow's memory that is taken to be since the change.
REIN_TUNED(kChangeShare, 0.5);
// Outcomes over which the noise of an action is averaged.
REIN_TUNED(kChangeNoiseMemory, 1000.0);
// A shadow that looks often learns every outcome up to so many features, and above one in kSparse, because its
// time grows with the square.
REIN_TUNED(kChangeFeatures, 32);
// Memory of the shadow in outcomes per parameter.
REIN_TUNED(kChangePerParameter, 8.0);

// -- The class (estimate/race.h; docs/estimate/auto.md) ----------------------------------------------------

// Evidence for another class, as a logarithm, at which it takes over (ln 1000), and the most against it.
REIN_TUNED(kRaceProof, 6.907755278982137);
// The bet of a round per relative gain; 1/4 is the best for normal noise.
REIN_TUNED(kRaceBet, 0.25);
// Outcomes over which the noise is averaged.
REIN_TUNED(kRaceMemory, 500.0);
// The width of curves is found from this many first vectors.
REIN_TUNED(kWidthVectors, 32);

// -- The gain (explore/gains.h; docs/explore/gains.md) -----------------------------------------------------

// Up to this many actions gamma does not depend on their number.
REIN_TUNED(kGainActions, 5.0);

// -- The rehearsal of the price (policy/window.h) ----------------------------------------------------------

// Decisions on which a price is rehearsed. Once the window is full, one decision in kSparse is kept, for a
// longer memory at the same cost.
REIN_TUNED(kWindowDecisions, 512);

// -- What fits the budget (policy/auto_tuning.h; docs/lab/price_and_bonus.md) ------------------

// Share of the free money that an unknown action may take,
REIN_TUNED(kFitShare, 0.25);
// and that one that was played twice may take; a known one needs its cost and kDeviations of it.
REIN_TUNED(kFitPlayedShare, 0.5);
// The certified U is asked for this often per doubling of rounds, because some oracles need time for it.
REIN_TUNED(kCertifiedAsks, 16);

// -- Tries (policy/tries.h; docs/lab/tries.md) ---------------------------------------

// Share that tries may spend of a budget per round, and of what was due so far and was not spent: that lets out
// a policy that is locked in a free action. 1/32 and more lose points where money buys few plays.
REIN_TUNED(kTriesBudget, 1.0 / 64.0);
// Largest probability of all tries of a round together.
REIN_TUNED(kTriesMost, 0.5);
// Plays of an action that are left to the policy's own choice.
REIN_TUNED(kTriesOwn, 1.0);
// Tries after a change, as a share of those before: all anew cost 2 points where rewards come and go.
REIN_TUNED(kTriesAgain, 0.4);

// -- The predicted price (price/predicted.h; docs/price/predicted.md) --------------------------------------

// Newton steps per solve, at most: later solves go on where this one ended.
REIN_TUNED(kPricePasses, 4);
// A step changes the price by at most this factor,
REIN_TUNED(kPriceTrust, 2.0);
// or by this many noises of the reward per scale of the cost, so that it can leave 0.
REIN_TUNED(kPriceStart, 0.1);
// With budgets that steer: the rounds at most, and the steps and tolerance after the settled round,
// because the pace corrects the rest.
REIN_TUNED(kPacedRoundsMost, 128);
REIN_TUNED(kPacedPasses, 1);
REIN_TUNED(kPacedTolerance, 0.05);
REIN_TUNED(kPacedSettled, 2048);
// The most that a target is changed by what was spent beside the pace.
REIN_TUNED(kPacedCorrection, 1.4);
// Signed costs may be this many scales over sqrt t above the smallest possible spend (credit_default).
REIN_TUNED(kPriceAllowance, 0.3);
// Debts are paid over this many times the wait for an outcome: sooner, the spend swings (docs).
REIN_TUNED(kPriceHearing, 5.0);
// With a horizon over so many times: the first wait leaves a debt that is best spread over the rest.
REIN_TUNED(kPriceSpreading, 20.0);
// Where one play can take more than this share of a budget, the first and last rounds are solved one by one:
// eight plays without a price could take a quarter of the money.
REIN_TUNED(kScarceShare, 1.0 / 32.0);
// Debts are paid within this many sqrt t: at least, at most, at most where costs are signed, and by this
// share of the root of the horizon (policy/ccb.cc).
REIN_TUNED(kPaybackLeast, 3.0);
REIN_TUNED(kPaybackMost, 30.0);
REIN_TUNED(kPaybackLent, 100.0);
REIN_TUNED(kPaybackShare, 0.5);
// Share of the usual size of a debt that is kept where costs are signed: the last block may not pay back.
REIN_TUNED(kReserve, 0.4);

}  // namespace rein::tuned
