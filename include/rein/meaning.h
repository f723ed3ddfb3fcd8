// What the spec of a policy means, by number. The defaults of `ccb` change as better ones are
// found. A model keeps the number of the meaning that it was made with, and later programs make the
// policy of that meaning for it.
//
//     meant(parse_spec("ccb").value(), 0)      // ccb(oracle=vaw(memory=auto),...): its oracle then
//
// An older meaning is spelled by options that are added to the spec. If the code of an older
// meaning has gone, no options spell it, and meant() says what is no longer known.
// docs/compatibility.md has the promise, and src/policy/meaning.cc the table.
#pragma once

#include <string>

#include "rein/result.h"
#include "rein/shape.h"
#include "rein/spec.h"

namespace rein {

// The newest meaning, which new models get, and the oldest that is still known.
inline constexpr int kMeaning = 3;
inline constexpr int kOldestMeaning = 0;

// The spec whose present meaning is what `asked` meant. The options that it adds are marked as implied.
// kMeaning if the number is newer than this program, or that meaning cannot be made any more.
Result<Spec> meant(const Spec& asked, int meaning);

// The spec for people, with all defaults written out: those of the tables, and those that ccb takes
// from the shape. No program makes a policy of this text.
std::string written_out(const Spec& spec, const Shape& shape);

}  // namespace rein
