#include "http/client.h"

#include <fmt/format.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <deque>
#include <map>
#include <optional>
#include <thread>

namespace rein::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Time = std::chrono::steady_clock::time_point;

// The longest answer: that of a batch of decisions.
constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{64} << 20U;
// A service closes connections that were idle for 75 s. A request on one that is being closed would get
// no answer, and nobody could say whether it was seen.
constexpr std::chrono::seconds kIdle{30};

struct Waiting {
  HttpCall call;
  HttpClient::Done done;
  Time until;
};

}  // namespace

class HttpClient::Loop {
 public:
  explicit Loop(int most) : most_(most), thread_([this] { io_.run(); }) {}
  ~Loop() {
    work_.reset();
    io_.stop();
    thread_.join();
    for (auto& each : hosts_) {
      for (Waiting& call : each.second.waiting) fail(call, "the service ends", Reason::kUnknown);
    }
  }
  void post(Waiting call) {
    auto shared = std::make_shared<Waiting>(std::move(call));
    asio::post(io_, [this, shared] { begin(std::move(*shared)); });
  }

 private:
  // A connection and the call that it does. It lives while a handler of its own is waiting, or while it is idle.
  struct Line {
    Line(asio::io_context& io, std::string to) : stream(io), address(std::move(to)) {}
    ~Line() {
      if (call.done) fail(call, "the service ends", Reason::kFailed);
    }
    boost::beast::tcp_stream stream;
    std::string address;
    boost::beast::flat_buffer buffer;
    std::optional<http::request<http::string_body>> request;
    std::optional<http::response_parser<http::string_body>> answer;
    Waiting call;
    Time used;
  };
  using LinePtr = std::shared_ptr<Line>;
  struct Host {
    std::vector<LinePtr> idle;
    std::deque<Waiting> waiting;
    int busy = 0;
  };

  static void fail(Waiting& waiting, const std::string& why, Reason reason) {
    const Done done = std::exchange(waiting.done, {});
    done(Error{fmt::format("{}: {}", waiting.call.address, why), reason});
  }

  void begin(Waiting call) {
    Host& host = hosts_[call.call.address];
    if (host.busy >= most_) return host.waiting.push_back(std::move(call));
    ++host.busy;
    const Time now = std::chrono::steady_clock::now();
    LinePtr line;
    while (!host.idle.empty() && line == nullptr) {
      if (now - host.idle.back()->used < kIdle) line = std::move(host.idle.back());
      host.idle.pop_back();
    }
    const bool kept = line != nullptr;
    if (!kept) line = std::make_shared<Line>(io_, call.call.address);
    line->call = std::move(call);
    line->stream.expires_at(line->call.until);
    kept ? write(line) : find(line);
  }

  void find(const LinePtr& line) {
    const std::string& address = line->address;
    const std::size_t colon = address.rfind(':');
    std::string name = address.substr(0, colon);
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    const std::string port = colon == std::string::npos ? "80" : address.substr(colon + 1);
    boost::system::error_code wrong;
    const auto ip = asio::ip::make_address(name, wrong);
    if (!wrong) {  // no thread for a name that is an address
      const auto number = static_cast<unsigned short>(std::strtoul(port.c_str(), nullptr, 10));
      return line->stream.async_connect(asio::ip::tcp::endpoint(ip, number),
                                        [this, line](auto error) { connected(line, error); });
    }
    auto resolver = std::make_shared<asio::ip::tcp::resolver>(io_);
    resolver->async_resolve(name, port, [this, line, resolver](auto error, const auto& found) {
      if (error) return end(line, error.message(), Reason::kUnknown);
      line->stream.async_connect(
          found, [this, line](auto failed, const auto&) { connected(line, failed); });
    });
  }

  void connected(const LinePtr& line, boost::system::error_code error) {
    if (error) return end(line, error.message(), Reason::kUnknown);
    line->stream.socket().set_option(asio::ip::tcp::no_delay(true), error);
    write(line);
  }

  void write(const LinePtr& line) {
    const HttpCall& call = line->call.call;
    auto& request = line->request.emplace();
    request.version(11);
    request.method_string(call.method);
    request.target(call.target);
    request.set(http::field::host, call.address);
    for (const auto& [name, value] : call.headers) request.set(name, value);
    if (!call.body.empty()) request.set(http::field::content_type, "application/json");
    request.body() = call.body;
    if (!call.body.empty() || call.method != "GET") request.prepare_payload();
    http::async_write(line->stream, request, [this, line](auto error, std::size_t) {
      if (error) return end(line, error.message(), Reason::kFailed);
      line->answer.emplace();
      line->answer->body_limit(kMostAnswerBytes);
      http::async_read(line->stream, line->buffer, *line->answer,
                       [this, line](auto failed, std::size_t) { answered(line, failed); });
    });
  }

  void answered(const LinePtr& line, boost::system::error_code error) {
    if (error) return end(line, error.message(), Reason::kFailed);
    auto got = line->answer->release();
    HttpResponse response{
        .status = static_cast<int>(got.result_int()), .body = std::move(got.body()), .headers = {}};
    if (const auto type = got[http::field::content_type]; !type.empty()) {
      response.type = std::string(type);
    }
    for (const auto& field : got) {
      const std::string name(field.name_string());
      if (field.name() == http::field::retry_after || field.name() == http::field::allow ||
          field.name() == http::field::location || name.starts_with("Rein-")) {
        response.headers.emplace_back(name, std::string(field.value()));
      }
    }
    const Done done = std::exchange(line->call.done, {});
    Host& host = hosts_[line->address];
    if (got.keep_alive()) {
      line->used = std::chrono::steady_clock::now();
      host.idle.push_back(line);
    }
    next(host);
    done(std::move(response));
  }

  void end(const LinePtr& line, const std::string& why, Reason reason) {
    next(hosts_[line->address]);
    fail(line->call, why, reason);
  }

  void next(Host& host) {
    --host.busy;
    while (!host.waiting.empty()) {
      Waiting call = std::move(host.waiting.front());
      host.waiting.pop_front();
      if (call.until > std::chrono::steady_clock::now()) return begin(std::move(call));
      fail(call, "too many calls wait", Reason::kUnknown);
    }
  }

  int most_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  std::map<std::string, Host> hosts_;
  std::thread thread_;
};

HttpClient::HttpClient(int connections_per_address)
    : loop_(std::make_unique<Loop>(connections_per_address)) {}
HttpClient::~HttpClient() = default;

void HttpClient::send(HttpCall call, Done done) {
  const Time until = std::chrono::steady_clock::now() + call.deadline;
  loop_->post({std::move(call), std::move(done), until});
}

}  // namespace rein::serve
