// LogEstimates: for every row of a log and every action, doubly robust estimates of the mean reward
// and the mean costs.
//
// The log has the outcome y of the played action only, with its probability p. For row i, action a
// and each head (the reward, then the costs):
//
//   predicted(i, a)  a regression of y on the context, fitted without the rows that it predicts
//                    (cross_fit() of rein/offpolicy.h)
//   surprise(i, a)   (y - predicted(i, a)) / p if a was played, else 0. Its mean is the error of the
//                    prediction, if p is right: so predicted + surprise is unbiased
//   mean(i, a)       predicted(i, a) + the mean surprise of the rows in its bin, cut to the range
//
// A surprise is as large as 1 / p, and predicted + surprise leaves every range: a cost below 0, a
// conversion of 7. Policies need ranges. So the surprises are averaged over bins: rows in the order of
// predicted(., a), in up to 20 parts with an effective sample size of about 200 each. Averages keep
// the correction, and seldom leave the range of the outcomes in the log. What is cut there is given
// back to the other rows of the action, so that the mean over all rows stays the doubly robust
// estimate of always playing it.
//
// Outcomes are drawn around these means: see world/log.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rein/log.h"
#include "rein/shape.h"

namespace rein {

struct LogEstimatesKeys {
  std::string file, format = "auto";
  bool estimate_propensities = false;
  double least = 50.0;  // effective sample size that every action needs
  int folds = 5;
  bool scaled = true;  // contexts are standardised, and none is longer than 1
  bool operator==(const LogEstimatesKeys&) const = default;
};

// LogEstimates never change, so threads share them.
struct LogEstimates {
  Shape shape;  // without rounds and budgets
  std::int64_t rows = 0;
  std::vector<double> context;        // rows x shape.context
  std::vector<double> means;          // (row x actions + action) x heads + head
  std::vector<std::uint8_t> offered;  // rows x actions; empty: all
  // How outcomes spread around their means: per action and head. A head whose outcomes in the log
  // have only two values has these two values: `two` per head.
  std::vector<double> deviation;
  std::vector<std::uint8_t> two;
};

// Estimates are made once for all worlds and threads, and kept until the estimates of another log
// are made. A file with a different size or time of change is another log.
Result<std::shared_ptr<const LogEstimates>> load_log_estimates(const LogEstimatesKeys& keys);

}  // namespace rein
