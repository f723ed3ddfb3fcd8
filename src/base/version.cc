#include "rein/version.h"

namespace rein {

std::string_view version() { return REIN_VERSION; }

}  // namespace rein
