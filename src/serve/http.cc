#include "serve/http.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>
#include <tuple>

#include "serve/http_gate.h"
#include "serve/http_loop.h"

namespace rein::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// So many connections over the limit are told so; more than that are closed without a word.
constexpr std::int64_t kToldTooMany = 128;

// One file descriptor per connection, as many as the system allows.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<asio::ip::address> address_of(const std::string& text) {
  error_code error;
  const auto address = asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, error);
  if (!error) return address;
  return Error{
      fmt::format("serve: address \"{}\" is not an IP address; accepted are addresses "
                  "such as 127.0.0.1 and ::1",
                  text)};
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpOptions& options, HttpHandler handler)
      : shared_(options, std::move(handler)) {
    for (int i = 0; i < std::max(1, options.threads); ++i) {
      loops_.push_back(std::make_unique<HttpLoop>(shared_));
    }
    acceptor_.emplace(loops_[0]->io());
    retry_.emplace(loops_[0]->io());
  }

  Result<> listen(const asio::ip::address& address) {
    const tcp::endpoint endpoint(address, static_cast<asio::ip::port_type>(shared_.options.port));
    error_code error;
    std::ignore = acceptor_->open(endpoint.protocol(), error);
    if (!error) std::ignore = acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) std::ignore = acceptor_->bind(endpoint, error);
    if (!error) std::ignore = acceptor_->listen(asio::socket_base::max_listen_connections, error);
    if (!error) return {};
    return Error{fmt::format("serve: cannot listen on {} port {}: {}", shared_.options.address,
                             shared_.options.port, error.message()),
                 Reason::kFailed};
  }

  int port() const override { return acceptor_port_; }
  void remember_port() { acceptor_port_ = acceptor_->local_endpoint().port(); }

  void run() override {
    asio::post(loops_[0]->io(), [this] { accept(); });
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < loops_.size(); ++i) {
      threads.emplace_back([loop = loops_[i].get()] { loop->run(); });
    }
    loops_[0]->run();
  }

  void stop(double seconds) override {
    const HttpTime deadline = HttpClock::now() + as_duration(seconds);
    asio::post(loops_[0]->io(), [this] {
      stopped_ = true;
      error_code ignored;
      std::ignore = acceptor_->close(ignored);
      retry_->cancel();
    });
    for (const auto& loop : loops_) {
      asio::post(loop->io(), [deadline, to = loop.get()] { to->begin_stop(deadline); });
    }
  }

  HttpCounts counts() const override {
    return {.connections = shared_.connections.load(std::memory_order_relaxed),
            .accepted = shared_.accepted.load(std::memory_order_relaxed),
            .requests = shared_.requests.load(std::memory_order_relaxed),
            .refused = shared_.refused.load(std::memory_order_relaxed)};
  }

 private:
  void accept() {
    if (stopped_) return;
    HttpLoop& to = *loops_[next_++ % loops_.size()];
    acceptor_->async_accept(to.io(), [this, &to](error_code error, HttpSocket socket) {
      if (stopped_) return;
      if (error) return accept_later();
      hand_over(to, std::move(socket));
      accept();
    });
  }

  // Out of file descriptors, most likely. Connections that end make room.
  void accept_later() {
    retry_->expires_after(std::chrono::milliseconds(50));
    retry_->async_wait([this](error_code error) {
      if (!error) accept();
    });
  }

  void hand_over(HttpLoop& to, HttpSocket socket) {
    shared_.accepted.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t over =
        shared_.connections.load(std::memory_order_relaxed) - shared_.options.most_connections;
    if (over >= kToldTooMany) return;  // closes it
    const bool too_many = over >= 0;
    if (&to == loops_[0].get()) return to.adopt(std::move(socket), too_many);
    asio::post(to.io(), [&to, too_many, held = std::move(socket)]() mutable {
      to.adopt(std::move(held), too_many);
    });
  }

  HttpShared shared_;
  std::vector<std::unique_ptr<HttpLoop>> loops_;
  std::optional<asio::basic_socket_acceptor<tcp, asio::io_context::executor_type>> acceptor_;
  std::optional<asio::steady_timer> retry_;
  std::size_t next_ = 0;
  bool stopped_ = false;  // of the first loop
  int acceptor_port_ = 0;
};

}  // namespace

Result<> HttpServer::check(const HttpOptions& options) {
  if (const auto address = address_of(options.address); !address) return address.failure();
  if (options.port < 0 || options.port > 65535) {
    return Error{
        fmt::format("serve: port {} is not in range; accepted are 0 to 65535", options.port)};
  }
  if (options.token.empty() && !is_loopback(options.address)) {
    return Error{
        fmt::format("serve: address {} is reachable from other machines, and no token is "
                    "set; accepted are a loopback address, or a token",
                    options.address)};
  }
  return {};
}

Result<std::unique_ptr<HttpServer>> HttpServer::make(const HttpOptions& options,
                                                     HttpHandler handler) {
  if (auto ok = check(options); !ok) return ok.failure();
  raise_file_limit();
  auto server = std::make_unique<BeastServer>(options, std::move(handler));
  if (auto listening = server->listen(address_of(options.address).value()); !listening) {
    return listening.failure();
  }
  server->remember_port();
  return server;
}

}  // namespace rein::serve
