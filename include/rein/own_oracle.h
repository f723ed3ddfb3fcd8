// An oracle of the caller's own, for specs that say oracle=own(name=NAME), or oracle=own where the
// name is "own". docs/own.md.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "rein/loan.h"
#include "rein/oracle.h"

namespace rein {

// Gets the shape that the oracle sees (its heads, their ranges); may be asked more than once for
// one policy.
using OracleMaker = std::function<Result<std::unique_ptr<Oracle>>(const Shape&)>;
// Refuses a name that is lent already.
Result<Loan> lend_oracle(const std::string& name, OracleMaker maker);

}  // namespace rein
