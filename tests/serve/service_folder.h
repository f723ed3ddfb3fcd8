// A Service with a folder on disk whose clock stands still, and requests to it without sockets.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "http/waiting_reply.h"
#include "serve/service.h"

namespace rein::serve {

class ServiceOnDisk {
 public:
  // recovered() says whether the start succeeded.
  explicit ServiceOnDisk(const std::string& data, bool strict = false) {
    ServiceOptions options;
    options.data = data;
    options.strict = strict;
    options.wall = [] { return std::int64_t{1'800'000'000}; };
    auto opened = Service::open(options);
    if (!opened) {
      recovered_ = opened.failure();
      return;
    }
    service_ = std::move(opened).value();
    recovered_ = service_->recover();
  }

  const Result<>& recovered() const { return recovered_; }
  HttpResponse ask(const std::string& method, const std::string& path, std::string body = {}) {
    auto reply = std::make_shared<WaitingReply>();
    service_->handle({.method = method, .path = path, .body = std::move(body)}, reply);
    return reply->wait();
  }
  // 0: there is no such model, or it has stopped.
  std::uint64_t hash(const std::string& name) {
    std::promise<std::uint64_t> hash;
    const bool found = service_->read(
        name, [&](Model& model) { hash.set_value(model.state().hash()); },
        [&](const std::string&) { hash.set_value(0); });
    return found ? hash.get_future().get() : 0;
  }
  // Why a model has stopped; empty: it has not, or there is none.
  std::string stopped(const std::string& name) {
    std::promise<std::string> why;
    const bool found = service_->read(
        name, [&](Model&) { why.set_value(""); },
        [&](const std::string& stopped) { why.set_value(stopped); });
    return found ? why.get_future().get() : "";
  }

 private:
  std::unique_ptr<Service> service_;
  Result<> recovered_;
};

}  // namespace rein::serve
