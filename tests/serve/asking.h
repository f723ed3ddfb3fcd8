// A Service in memory whose clock stands still, and requests to it without sockets.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "http/waiting_reply.h"
#include "serve/json_in.h"
#include "serve/service.h"

namespace rein::serve {

inline constexpr const char* kModelPath = "/v1/models/m";

class Asking {
 public:
  explicit Asking(std::int64_t now = 1'800'000'000, std::int64_t most_model_bytes = 0) : now_(now) {
    ServiceOptions options;
    options.in_memory = true;
    if (most_model_bytes > 0) options.most_model_bytes = most_model_bytes;
    options.wall = options.steady = [this] { return now_.load(); };
    options.stopped = [](const std::string& name, const std::string& why) {
      ADD_FAILURE() << name << ": " << why;
    };
    service_ = Service::open(options).value();
    service_->recover().check();
  }

  HttpResponse ask(HttpRequest request) {
    auto reply = std::make_shared<WaitingReply>();
    service_->handle(std::move(request), reply);
    return reply->wait();
  }
  HttpResponse ask(const std::string& method, const std::string& path, std::string body = {}) {
    return ask({.method = method, .path = path, .body = std::move(body)});
  }
  // The answer, which must be a success, as JSON.
  Json get(const std::string& method, const std::string& path, std::string body = {}) {
    const HttpResponse got = ask(method, path, std::move(body));
    EXPECT_LT(got.status, 300) << method << " " << path << ": " << got.body;
    return got.body.empty() ? Json() : read_json(got.body);
  }
  // Hashes of the states of all models.
  std::string hashes() {
    std::string all;
    for (const std::string& name : service_->names()) {
      std::promise<std::uint64_t> hash;
      service_->read(name, [&](Model& model) { hash.set_value(model.state().hash()); });
      all += name + " " + std::to_string(hash.get_future().get()) + "\n";
    }
    return all;
  }
  void sleep(std::int64_t seconds) { now_ += seconds; }
  std::int64_t now() const { return now_; }
  Service& service() { return *service_; }

 private:
  std::atomic<std::int64_t> now_;
  std::unique_ptr<Service> service_;
};

// A member of an object.
inline const Json& member(const Json& object, std::string_view name) {
  for (const auto& [key, value] : std::get<Json::Object>(object.is)) {
    if (key == name) return value;
  }
  throw std::logic_error("no member " + std::string(name));
}
inline std::string text_in(const Json& object, std::string_view name) {
  return std::get<std::string>(member(object, name).is);
}

}  // namespace rein::serve
