// An oracle that the caller brings, for specs with oracle=own(name=NAME). The spec oracle=own means
// the name "own". See docs/own.md.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "rein/loan.h"
#include "rein/oracle.h"

namespace rein {

// Makes the oracle for a shape (its heads and their ranges). May be called more than once per
// policy.
using OracleMaker = std::function<Result<std::unique_ptr<Oracle>>(const Shape&)>;
// Registers the maker under a name. Refuses a name that is already in use.
Result<Loan> lend_oracle(const std::string& name, OracleMaker maker);

}  // namespace rein
