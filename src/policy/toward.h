// Toward: a policy toward another goal than "the most reward within the budgets": any head may be
// the objective, to be maximised or minimised, and any other may have a limit on its mean, from
// above or below.
//
//     ccb(minimize=dollars,at_least=[reward,0.95])
//
// Inside is the same policy for the mapped problem (Goal in price/forms.h). Outcomes, whole or in
// parts, are mapped on their way in; estimates and totals on their way out. Expected costs stay
// those of the user (Shape::expected). Prices and queues are about the costs of the mapped problem:
// where a cost is the objective, its place is the reward's.
#pragma once

#include "base/spec_reader.h"
#include "price/forms.h"
#include "rein/policy.h"

namespace rein {

// The problem that a policy solves: the mapped one if it has a goal, otherwise its shape.
Shape solved_shape(const Policy& policy);
// The goal, from those keys.
Result<Goal> read_goal(SpecReader& read, const Shape& shape);

using MakePolicy = Result<std::unique_ptr<Policy>> (*)(const Spec&, const Shape&, const Own&);
// The policy of `spec` toward its goal. `make` makes the policy inside, from the same spec without
// these keys.
Result<std::unique_ptr<Policy>> make_toward(const Spec& spec, const Shape& shape, const Own& own,
                                            MakePolicy make);

}  // namespace rein
