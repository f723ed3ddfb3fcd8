// What the playground does without: worlds that read files, of which a browser has none, and exceptions.
#include <cstddef>
#include <typeinfo>

#include "rein/world.h"
#include "world/log.h"
#include "world/table.h"

namespace rein {

namespace {
Error absent() { return {"found a world that reads a file; accepted: one that needs none", Reason::kInvalid}; }
}  // namespace

Result<std::unique_ptr<World>> make_table(const Spec& /*spec*/, std::uint64_t /*seed*/, std::int64_t /*rounds*/) {
  return absent();
}
Result<std::unique_ptr<World>> make_log_world(const Spec& /*spec*/, std::uint64_t /*seed*/, std::int64_t /*rounds*/) {
  return absent();
}

}  // namespace rein

// What would be thrown ends the program. Nothing on the page leads there: its specs are its own, and refusals that a
// person can cause are Results.
extern "C" {
void* __cxa_allocate_exception(std::size_t /*bytes*/) noexcept { __builtin_trap(); }
void __cxa_throw(void* /*thrown*/, std::type_info* /*type*/, void (*/*end*/)(void*)) { __builtin_trap(); }
}
