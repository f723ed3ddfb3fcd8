#include "http/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>
#include <tuple>

#include "http/descriptors.h"
#include "http/gate.h"
#include "http/log.h"
#include "http/loop.h"

namespace rein::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// This many connections over the limit get an answer that says so; further ones are closed without
// an answer.
constexpr std::int64_t kToldTooMany = 128;

// Connections that one turn accepts.
constexpr int kAcceptedAtOnce = 128;
// The largest body must be a small part of the memory of all connections.
constexpr std::int64_t kBodiesInMemory = 8;

// Refuses tokens that are so short that an attacker could find them by trying.
Result<> check_token(const HttpOptions& options) {
  if (is_loopback(options.address) || options.token.size() >= kLeastTokenBytes) return {};
  if (options.token.empty() && !options.tokens.empty()) return {};
  constexpr const char* kMake = "make one with: openssl rand -hex 24";
  if (options.token.empty()) {
    return Error{
        fmt::format("serve: address {} is reachable from other machines, and no token is "
                    "set; accepted are a loopback address, or a token of at least {} bytes ({})",
                    options.address, kLeastTokenBytes, kMake)};
  }
  return Error{
      fmt::format("serve: address {} is reachable from other machines, and the token has {} bytes; "
                  "accepted are at least {} ({})",
                  options.address, options.token.size(), kLeastTokenBytes, kMake)};
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
    open_spare();
  }
  ~BeastServer() override { close_spare(); }
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;

  Result<> listen(const asio::ip::address& address) {
    const tcp::endpoint endpoint(address, static_cast<asio::ip::port_type>(shared_.options.port));
    error_code error;
    std::ignore = acceptor_->open(endpoint.protocol(), error);
    if (!error) std::ignore = acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) std::ignore = acceptor_->bind(endpoint, error);
    if (!error) std::ignore = acceptor_->listen(asio::socket_base::max_listen_connections, error);
    if (!error) std::ignore = acceptor_->non_blocking(true, error);
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
            .refused = shared_.refused.load(std::memory_order_relaxed),
            .wrong_tokens = shared_.wrong_tokens.load(std::memory_order_relaxed),
            .slow_readers = shared_.slow_readers.load(std::memory_order_relaxed),
            .streams = shared_.streams.load(std::memory_order_relaxed),
            .memory = shared_.memory->used(),
            .memory_peak = shared_.memory->peak(),
            .longest_turn = shared_.longest_turn.load(std::memory_order_relaxed)};
  }

 private:
  void accept() {
    if (stopped_) return;
    HttpLoop& to = *loops_[next_++ % loops_.size()];
    acceptor_->async_accept(to.io(), [this, &to](error_code error, HttpSocket socket) {
      if (stopped_) return;
      if (error) return accept_later();
      hand_over(to, std::move(socket));
      accept_waiting();
      accept();
    });
  }

  // Accepts the connections that wait already. With one connection per turn, a caller behind
  // hundreds of others would wait for as many rounds of all connections.
  void accept_waiting() {
    for (int i = 1; i < kAcceptedAtOnce; ++i) {
      HttpLoop& to = *loops_[next_++ % loops_.size()];
      HttpSocket socket(to.io());
      error_code error;
      std::ignore = acceptor_->accept(socket, error);
      if (error) return;
      hand_over(to, std::move(socket));
    }
  }

  // Most likely the process is out of file descriptors. Connections that end make room. Callers
  // that wait until then are closed at once, with a descriptor that is kept for this purpose.
  void accept_later() {
    if (spare_ >= 0) {
      close_spare();
      const int waiting = ::accept(acceptor_->native_handle(), nullptr, nullptr);
      if (waiting >= 0) ::close(waiting);
    }
    open_spare();
    retry_->expires_after(std::chrono::milliseconds(50));
    retry_->async_wait([this](error_code error) {
      if (!error) accept();
    });
  }

  void open_spare() {
    if (spare_ < 0) spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  void close_spare() {
    if (spare_ >= 0) ::close(std::exchange(spare_, -1));
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
  int spare_ = -1;
};

// Lowers the connections to what the descriptors allow that are not kept for files.
Result<HttpOptions> within_descriptors(HttpOptions options) {
  const std::int64_t limit = raise_descriptor_limit();
  const std::int64_t room = limit - options.kept_descriptors - kToldTooMany;
  if (room < 1) {
    return Error{
        fmt::format("serve: the process may have {} file descriptors (ulimit -n); accepted "
                    "are at least {}",
                    limit, options.kept_descriptors + kToldTooMany + 1),
        Reason::kFailed};
  }
  if (options.most_connections > room) {
    log("warning", "fewer connections",
        {{"most_connections", options.most_connections},
         {"now", room},
         {"descriptors", limit},
         {"kept_for_files", options.kept_descriptors}});
    options.most_connections = static_cast<int>(room);
  }
  return options;
}

}  // namespace

Result<> HttpServer::check(const HttpOptions& options) {
  if (const auto address = address_of(options.address); !address) return address.failure();
  if (options.port < 0 || options.port > 65535) {
    return Error{
        fmt::format("serve: port {} is not in range; accepted are 0 to 65535", options.port)};
  }
  if (options.most_memory_bytes < kBodiesInMemory * options.most_body_bytes) {
    return Error{
        fmt::format("serve: most_memory_bytes is {} and most_body_bytes {}; accepted is "
                    "memory for at least {} such bodies",
                    options.most_memory_bytes, options.most_body_bytes, kBodiesInMemory)};
  }
  return check_token(options);
}

Result<std::unique_ptr<HttpServer>> HttpServer::make(const HttpOptions& options,
                                                     HttpHandler handler) {
  if (auto ok = check(options); !ok) return ok.failure();
  auto fitting = within_descriptors(options);
  if (!fitting) return fitting.failure();
  auto server = std::make_unique<BeastServer>(fitting.value(), std::move(handler));
  if (auto listening = server->listen(address_of(options.address).value()); !listening) {
    return listening.failure();
  }
  server->remember_port();
  return server;
}

}  // namespace rein::serve
