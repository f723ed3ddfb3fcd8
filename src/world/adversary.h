// Adversary: chooses the next context, from what the learner did and got so far.
//
// It sees past actions and outcomes, never the policy, and it knows the truth. Of several candidate
// contexts the world plays the one with the largest score:
//
//   uncertainty  sum over actions of phi' A^-1 phi, A = I + sum of phi phi' over what was played:
//                the context that a learner which has seen what we saw knows least about
//   queue        mean cost of the action with the largest mean reward, in the resource with the
//                longest queue (costs so far, less budget / rounds a round where there is one),
//                while that is above 0; else the first candidate: who is in debt is tempted, who is
//                not is left alone
#pragma once

#include <vector>

#include "rein/oracle.h"
#include "rein/round.h"

namespace rein {

class Adversary {
 public:
  enum class Target { kUncertainty, kQueue };

  // REQUIRES a shape with its truth and rounds, and a cost for kQueue.
  Adversary(Target target, const Shape& shape);

  // The larger, the worse for the learner. Allocates nothing; the rounds are full ones.
  double score(const Round& round);
  void observe(const Round& round, int action, const Outcome& outcome);

 private:
  double uncertainty(const Round& round);
  double temptation(const Round& round);

  Target target_;
  int features_;
  std::shared_ptr<const FunctionClass> truth_;
  std::vector<double> zeros_;  // solve() wants a head; this one predicts nothing
  std::vector<double> dots_;
  std::vector<double> factor_;   // packed Cholesky factor of A
  std::vector<double> columns_;  // blocks of eight actions, as the kernels want them
  std::vector<double> squares_;
  std::vector<double> work_;
  std::vector<double> means_;
  std::vector<double> queue_;  // sum of each cost, less its rate where it has a budget
  std::vector<double> rate_;
};

}  // namespace rein
