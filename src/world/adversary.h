// Adversary: chooses the next context from the learner's past actions and outcomes.
//
// It knows the truth but never sees the policy. The world plays the candidate context with the
// largest score:
//
//   uncertainty  sum over actions of phi' A^-1 phi, A = I + sum of phi phi' over what was played:
//                the context about which the learner knows least
//   queue        mean cost of the action with the largest mean reward, for the resource with the
//                longest queue (costs so far, minus budget / rounds per round if it has a budget).
//                If no queue is above 0, the first candidate is played.
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

  // Larger is worse for the learner. Allocates nothing. The rounds offer all actions.
  double score(const Round& round);
  void observe(const Round& round, int action, const Outcome& outcome);

 private:
  double uncertainty(const Round& round);
  double temptation(const Round& round);

  Target target_;
  int features_;
  std::shared_ptr<const FunctionClass> truth_;
  std::vector<double> zeros_;  // solve() needs a head; this one predicts nothing
  std::vector<double> dots_;
  std::vector<double> factor_;   // packed Cholesky factor of A
  std::vector<double> columns_;  // blocks of eight actions, the layout of the kernels
  std::vector<double> squares_;
  std::vector<double> work_;
  std::vector<double> means_;
  std::vector<double> queue_;  // sum of each cost, minus its rate if it has a budget
  std::vector<double> rate_;
};

}  // namespace rein
