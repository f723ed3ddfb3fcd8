// What the spec of a policy means, by number. `ccb` has defaults, and they change as better ones are
// found. A model keeps the number of the meaning that it was made with, and later programs make the
// policy of that meaning for it.
//
//     meant(parse_spec("ccb").value(), 0)      // ccb(oracle=vaw(memory=auto),...): its oracle then
//
// An older meaning is spelled by options that are added to what was asked. Where no options spell it any
// more, because the code behind it has gone, meant() says what is no longer known. docs/compatibility.md
// has the promise, and src/policy/meaning.cc the table.
#pragma once

#include <string>

#include "rein/result.h"
#include "rein/shape.h"
#include "rein/spec.h"

namespace rein {

// The newest meaning, which new models get, and the oldest that is still known.
inline constexpr int kMeaning = 2;
inline constexpr int kOldestMeaning = 0;

// The spec whose present meaning is what `asked` meant. The options that it adds are marked as implied.
// kMeaning if the number is newer than this program, or that meaning cannot be made any more.
Result<Spec> meant(const Spec& asked, int meaning);

// The spec with the defaults of its tables, and those that ccb takes from the shape, written out: for
// people. No program makes a policy of it.
std::string written_out(const Spec& spec, const Shape& shape);

}  // namespace rein
