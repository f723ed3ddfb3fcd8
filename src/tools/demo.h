// Traffic for `rein serve --demo`: an application that routes prompts to three language models, so
// that the live page has something to show. Its requests go the way of all others, except the socket.
#pragma once

#include <atomic>
#include <thread>

#include "serve/service.h"

namespace rein::serve {

class Demo {
 public:
  // Makes the model "demo" and sends about this many requests per second until it is destroyed.
  Demo(Service& service, double per_second);
  ~Demo();
  Demo(const Demo&) = delete;
  Demo& operator=(const Demo&) = delete;

  static std::string document();

 private:
  void loop();

  Service& service_;
  double per_second_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace rein::serve
