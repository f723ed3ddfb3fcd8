// The constants of the default policy (`ccb`, tuning=auto) that were chosen by trial, all of them.
//
// None has a unit: they count rounds, plays and outcomes, or multiply what was measured. Limits of memory
// and of rounding are not here but where they bind, and neither are the defaults of options (`tries`,
// `expected_weight`, the factor of the gain `noise`). `make ablation` measures what halving and doubling each
// one does; where another page measured one, its comment names the page.
#pragma once

#ifdef REIN_ABLATION  // a build for measurements: the environment multiplies constants by their names
#include "base/ablated.h"
#define REIN_TUNED(name, value) inline const auto name = ::rein::ablated(#name, value)
#else
#define REIN_TUNED(name, value) inline constexpr auto name = value
#endif

namespace rein::tuned {

// -- Scales of the features (estimate/unit_features.h; docs/lab/scales.md) ------------

// A scale within this factor of 1 is taken as 1, so that numbers of usual size are learned as they are.
REIN_TUNED(kScaleUsual, 4.0);
// A number whose size is within this factor of that of all numbers gets their scale: sizes differ by chance.
REIN_TUNED(kScaleAlike, 16.0);
// A number is centred if it lies this many spreads from 0: there ridge regression would need a thousand
// rounds and more to see what it says. Nearer ones stay as they are.
REIN_TUNED(kScaleFarAway, 32.0);
// A scale is replaced after the first values if it is this many times too large: the first was an outlier.
REIN_TUNED(kScaleTooLarge, 64.0);
// A number is cut off this many scales from its centre, so that one outlier does not teach a slope.
REIN_TUNED(kScaleFarthest, 32.0);

// -- Unknown actions (estimate/prior.h; docs/lab/unknown_actions.md) ---------------------------------

// The mean outcome of an action is over at most this many of its last plays, so that it follows a drift.
REIN_TUNED(kMeanPlays, 200.0);
// A new expected cost changes an estimate by at most this factor: a reference near 0 would multiply errors.
REIN_TUNED(kExpectedFactor, 1024.0);

// -- Few plays, many features (estimate/shared_part.h; docs/lab/few_plays.md) ---------------

// Below this many plays per feature, of all actions, the shared part plays in full; from twice on, not.
REIN_TUNED(kSharedPlays, 0.5);
// Nothing is moved before this many plays: one play says nothing about what actions share.
REIN_TUNED(kSharedFirstPlays, 2.0);
// Logarithm of the odds at first for the shared regression of the reward; 0 to 5 were tried.
REIN_TUNED(kSharedBelief, 3.0);
// Fits of the regression per doubling of plays: more move its weights little, and take time.
REIN_TUNED(kSharedFits, 8);
// Steps of expectation maximisation: two move the weight to the features that matter, many keep too few.
REIN_TUNED(kSharedSteps, 2);
// Variance of slopes . x at first, in variances of the noise. Two steps of the estimate forget it partly.
REIN_TUNED(kSharedSignal, 2.0);
// Variance of an action's own constant at first, in variances of the noise.
REIN_TUNED(kSharedOwn, 0.1);
// Variance of the constant that all actions share, in variances of the noise; it is not estimated.
REIN_TUNED(kSharedConstant, 1.0);
// Features whose mean squares lie within this factor of their median start with the same variance.
REIN_TUNED(kSharedAlike, 256.0);

// -- Few rounds (policy/few_rounds.h; docs/lab/few_plays.md) ----------------------------------------

// Below this many rounds per feature, VAW divides by 1 instead of 1 + w; from twice as many on by 1 + w.
REIN_TUNED(kForwardRounds, 40.0);
// Below this many rounds per parameter, prices are rehearsed on the later decisions only.
REIN_TUNED(kLaterRounds, 10.0);
// The same for plays that money buys per parameter.
REIN_TUNED(kLaterPlays, 2.0);
// The share of the decisions, the latest, on which prices are then rehearsed.
REIN_TUNED(kLaterShare, 0.25);

// -- Optimism (policy/optimism.h; docs/lab/scales.md) ----------------------------------

// Standard deviations of the reward that an action gets as a bonus, for one of each cost; 2 to 5 were tried.
REIN_TUNED(kOptimismReward, 10.0 / 3.0);
// Rounds per parameter, and plays that money buys, for optimism in full: what is tried must be used later.
REIN_TUNED(kOptimismRounds, 20.0);
// Largest w that counts: wider estimates are treated as unknown.
REIN_TUNED(kOptimismWidest, 64.0);
// Optimism falls as this over the root of the number of features: widths add up over features.
REIN_TUNED(kOptimismFeatures, 3.0);

// -- Calibrated costs (estimate/calibration.h) -------------------------------------------------------------

// Plays of an action before its predicted costs are corrected.
REIN_TUNED(kCalibrationPlays, 10.0);
// Plays over which the difference between cost and prediction is averaged, so that it follows a drift.
REIN_TUNED(kCalibrationMemory, 100.0);
// Standard errors of that difference that are treated as chance; to correct by all of it locks actions out.
REIN_TUNED(kCalibrationErrors, 2.0);

// -- What actions have in common (estimate/centre.h) -------------------------------------------------------

// The common slopes are solved for after each of the first outcomes, so many of them,
REIN_TUNED(kCentreOften, 64.0);
// and later after every one in so many, because solving takes time and they move little.
REIN_TUNED(kCentreEvery, 8.0);

// -- Changes of the level (estimate/level.h; docs/lab/changes.md) ---------------------------

// Evidence at which a change is noticed, as a logarithm: false alarms are about exp(-14) per look.
REIN_TUNED(kLevelThreshold, 14.0);
// The change that is looked for, in standard deviations; 0.3 to 0.7 notice as soon.
REIN_TUNED(kLevelShift, 0.4);
// Standard deviations that one outcome may count, so that heavy tails are no change.
REIN_TUNED(kLevelFarthest, 4.0);
// Outcomes over which the usual difference is averaged: a wrong class is usual, and no change.
REIN_TUNED(kLevelMemory, 2000.0);
// The series of one action explains a change of all if its evidence lies at most this far below (ln 20).
REIN_TUNED(kLevelNearly, 3.0);
// Outcomes before the usual difference is known.
REIN_TUNED(kLevelOutcomes, 100.0);

// -- Changes of the weights (estimate/change.h; docs/lab/changes.md) ------------------------

// Evidence at which a change is noticed, as a logarithm; 12 to 25 were tried.
REIN_TUNED(kChangeThreshold, 15.0);
// Multiple of the usual gain that is no change: a wrong class gains a little all the time.
REIN_TUNED(kChangeUsual, 2.0);
// The most that one outcome may count, so that heavy tails are no change.
REIN_TUNED(kChangeGain, 2.0);
// Widths above this are not tested: what is not known yet is no change.
REIN_TUNED(kChangeWidth, 0.05);
// Outcomes of an action before its noise is known.
REIN_TUNED(kChangeOutcomes, 20.0);
// Share of the mean square outcome below which a variance counts as this: smaller changes do not matter.
REIN_TUNED(kChangeSlight, 0.01);
// Memories of the shadow that the oracle must have learned before it is tested.
REIN_TUNED(kChangeMemories, 4.0);
// Smallest share of the shadow's memory that is taken to be since the change.
REIN_TUNED(kChangeShare, 0.5);
// Outcomes over which the noise of an action is averaged.
REIN_TUNED(kChangeNoiseMemory, 1000.0);
// What a change leaves of the shadow, which corrected other predictions.
REIN_TUNED(kChangeKept, 1e-6);
// Features up to which the shadow learns every outcome,
REIN_TUNED(kChangeFeatures, 32);
// and above which it learns one in so many, because its time grows with the square.
REIN_TUNED(kChangeEvery, 4);
// Least memory of the shadow in outcomes, and its memory per parameter.
REIN_TUNED(kChangeMemory, 200.0);
REIN_TUNED(kChangePerParameter, 8.0);

// -- The class (estimate/race.h; docs/estimate/auto.md) ----------------------------------------------------

// Evidence for another class, as a logarithm, at which it takes over (ln 1000), and the most against it.
REIN_TUNED(kRaceProof, 6.907755278982137);
// The bet of a round per relative gain; 1/4 is the best for normal noise.
REIN_TUNED(kRaceBet, 0.25);
// Share of the noise that another class must gain to take over: curves cost time and certificates.
REIN_TUNED(kRaceMaterial, 0.01);
// Outcomes over which the noise is averaged.
REIN_TUNED(kRaceMemory, 500.0);
// The width of curves is found from this many first vectors,
REIN_TUNED(kWidthVectors, 32);
// and numbers that spread this many times more than the median number get widths of their own.
REIN_TUNED(kWidthUsual, 4.0);

// -- The gain (explore/gains.h; docs/explore/gains.md) -----------------------------------------------------

// Up to this many actions gamma does not depend on their number.
REIN_TUNED(kGainActions, 5.0);

// -- The rehearsal of the price (policy/window.h) ----------------------------------------------------------

// Decisions on which a price is rehearsed: 2048 rounds cost no more when one in four is kept.
REIN_TUNED(kWindowDecisions, 512);
// Once the window is full, one decision in so many is kept, for a longer memory at the same cost.
REIN_TUNED(kWindowStride, 4);
// Logged rounds that are rehearsed from one price to the next.
REIN_TUNED(kWarmRounds, 8);

// -- What fits the budget (policy/auto_tuning.h; docs/lab/price_and_bonus.md) ------------------

// Share of the free money that an unknown action may take,
REIN_TUNED(kFitShare, 0.25);
// that one that was played twice may take,
REIN_TUNED(kFitPlayedShare, 0.5);
// and standard deviations of its cost that a known one needs besides its cost.
REIN_TUNED(kFitDeviations, 2.0);
// A cost swamps rewards if its noise, priced, exceeds this many noises and spreads of the reward.
REIN_TUNED(kSwampedNoises, 30.0);
// Outcomes over which the wait for them is averaged.
REIN_TUNED(kWaitOutcomes, 100.0);
// Decisions in the window before the least cost of a round is told.
REIN_TUNED(kLeastDecisions, 64);
// The certified U is asked for this often per doubling of rounds, because some oracles need time for it.
REIN_TUNED(kCertifiedAsks, 16);

// -- Tries (policy/tries.h; docs/lab/tries.md) ---------------------------------------

// Share of a budget per round that tries may spend; 1/32 and more lose points where money buys few plays.
REIN_TUNED(kTriesBudget, 1.0 / 64.0);
// Share of what was due so far and was not spent: it lets out a policy that is locked in a free action.
REIN_TUNED(kTriesUnspent, 1.0 / 16.0);
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
// The spend meets the target within this share of it.
REIN_TUNED(kPriceTolerance, 0.01);
// A price is solved for this often per doubling of rounds, later, and within these numbers of rounds.
REIN_TUNED(kPriceSolves, 64);
REIN_TUNED(kPriceRoundsLeast, 8);
REIN_TUNED(kPriceRoundsMost, 64);
// With budgets that steer: the rounds at most, and the steps and tolerance after the settled round,
// because the pace corrects the rest.
REIN_TUNED(kPacedRoundsMost, 128);
REIN_TUNED(kPacedPasses, 1);
REIN_TUNED(kPacedTolerance, 0.05);
REIN_TUNED(kPacedSettled, 2048);
// Rounds over which spend and pace are compared, and the most that a target is changed by it.
REIN_TUNED(kPacedMemory, 2000.0);
REIN_TUNED(kPacedCorrection, 1.4);
// Signed costs may be this many scales over sqrt t above the smallest possible spend (credit_default).
REIN_TUNED(kPriceAllowance, 0.3);
// Noises or mean spreads of the reward that its range is taken to be, for the largest useful price. After a
// debt of two budgets 10, 30 and 100 earn 94, 93 and 92 % on average; 10 costs 2.4 points elsewhere.
REIN_TUNED(kPriceUseful, 30.0);
// Largest price of one spread of costs, in noises of the reward: an infeasible target has no price.
REIN_TUNED(kPriceMost, 1e6);
// Debts are paid over this many times the wait for an outcome: sooner, the spend swings (docs).
REIN_TUNED(kPriceHearing, 5.0);
// With a horizon over so many times: the first wait leaves a debt that is best spread over the rest.
REIN_TUNED(kPriceSpreading, 20.0);
// Where one play can take more than this share of a budget, the first and last rounds are solved one by one:
// eight plays without a price could take a quarter of the money.
REIN_TUNED(kScarceShare, 1.0 / 32.0);
REIN_TUNED(kScarceRounds, 8);
// Debts are paid within this many sqrt t: at least, at most, at most where costs are signed, and by this
// share of the root of the horizon (policy/ccb.cc).
REIN_TUNED(kPaybackLeast, 3.0);
REIN_TUNED(kPaybackMost, 30.0);
REIN_TUNED(kPaybackLent, 100.0);
REIN_TUNED(kPaybackShare, 0.5);
// Share of the usual size of a debt that is kept where costs are signed: the last block may not pay back.
REIN_TUNED(kReserve, 0.4);

}  // namespace rein::tuned
