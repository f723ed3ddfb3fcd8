// WaitingReply: an answer that a thread waits for. For callers within the process: the demo, tests.
#pragma once

#include <future>
#include <memory>
#include <utility>

#include "http/server.h"

namespace rein::serve {

class WaitingReply : public HttpReply {
 public:
  void send(HttpResponse response) override { promise_.set_value(std::move(response)); }
  std::shared_ptr<EventStream> stream() override { return nullptr; }
  HttpResponse wait() { return promise_.get_future().get(); }

 private:
  std::promise<HttpResponse> promise_;
};

}  // namespace rein::serve
