// The OpenAPI 3.1 document of the service (docs/openapi.json), as it is served.
#pragma once

#include <string_view>

namespace rein::serve {

std::string_view openapi_document();

}  // namespace rein::serve
