// An HttpServer on a free loopback port, in a thread of its own.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "http/server.h"

namespace rein::serve {

class RunningServer {
 public:
  RunningServer(HttpOptions options, HttpHandler handler) {
    options.port = 0;
    auto made = HttpServer::make(options, std::move(handler));
    server_ = std::move(made.value());
    thread_ = std::thread([this] { server_->run(); });
  }
  ~RunningServer() { stop(0.0); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  int port() const { return server_->port(); }
  HttpCounts counts() const { return server_->counts(); }
  HttpServer& server() { return *server_; }
  // Returns after run() has returned.
  void stop(double seconds) {
    server_->stop(seconds);
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

}  // namespace rein::serve
