// Paths that need no token: the page must be able to load before it can ask for one.
#include <gtest/gtest.h>

#include "http/raw_client.h"
#include "http/running_server.h"

namespace rein::serve {
namespace {

TEST(HttpOpenPaths, OnlyThePathsNamedNeedNoToken) {
  RunningServer server({.token = "right", .open_paths = {"/", "/healthz", "/models/*"}},
                       [](const HttpRequest& /*request*/, const std::shared_ptr<HttpReply>& reply) {
                         reply->send({.body = "{}"});
                       });
  const auto status = [&](const std::string& path) {
    return RawClient(server.port())
        .ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .status;
  };
  for (const char* open : {"/", "/?a=b", "/healthz", "/models/ads", "/models/"}) {
    EXPECT_EQ(status(open), 200) << open;
  }
  for (const char* closed :
       {"/v1/models", "/v1/models/ads/live", "/models", "/modelsx", "/healthz/", "//", "/*"}) {
    EXPECT_EQ(status(closed), 401) << closed;
  }
  EXPECT_EQ(status("/models/..%2fv1/models"), 400);
}

}  // namespace
}  // namespace rein::serve
