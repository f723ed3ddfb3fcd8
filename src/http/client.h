// HttpClient: requests to other services, for a service that passes requests on. One thread does all of
// it; connections are kept and used again. client.cc knows Boost.Beast, as parser.cc does.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/server.h"
#include "rein/result.h"

namespace rein::serve {

struct HttpCall {
  std::string address;  // "10.0.0.3:8080", "[::1]:8080" or "node-a:8080"
  std::string method = "GET";
  std::string target = "/";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::chrono::milliseconds deadline{5'000};  // from now to the end of the answer
};

class HttpClient {
 public:
  // Calls under way at a time, per address; more wait for one of them to end.
  explicit HttpClient(int connections_per_address = 128);
  ~HttpClient();  // calls under way fail
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Any thread. kUnknown: the service could not be reached, and has not seen the request. kFailed: it may
  // have done what was asked, but did not answer. A call is never sent twice.
  using Done = std::function<void(Result<HttpResponse>)>;
  void send(HttpCall call, Done done);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace rein::serve
