// The live page: three files that the build joins from web/live and web/common (cmake/live.cmake).
// They are the same for every model and hold no data: the page asks the API for it.
#pragma once

#include <span>
#include <string_view>

namespace rein::serve {

struct Asset {
  std::string_view path;  // "/", "/assets/live.js" or "/assets/live.css"
  std::string_view type;  // for Content-Type
  std::string_view body;
};

// The first file is the page itself, which is also the answer to GET /models/{m} for any m: the
// page reads the name from its address. All three must be served without a token, so that the page
// can ask for it.
std::span<const Asset> live_assets();

// Send this as Content-Security-Policy with each of them. The page works under it: everything comes
// from the service itself, nothing is inline, and no other site may show it in a frame.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace rein::serve
