// Whether a token may make a request: by its roles, its models and its scopes (http/access.h). The
// service's own token (`token`) may do everything.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "http/server.h"

namespace rein::serve {

// The roles of which a token needs one for this request; kAdminRole may do everything.
unsigned roles_for(const HttpRequest& request);

// Refuses with 403 `role` what the token of the request may not do, and passes on the rest.
HttpHandler with_permissions(HttpHandler handler);

// From the settings: [[service.tokens]], or REIN_TOKENS with the same as JSON.
Result<> read_tokens(const Json& value, std::vector<std::shared_ptr<const Access>>& tokens);

}  // namespace rein::serve
