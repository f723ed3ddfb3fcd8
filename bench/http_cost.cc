// The cost of the HTTP door: requests per second and processor time per request, when the handler's
// answer is a constant that another thread gives, as the writer of a model does.
//
//     http_cost [connections=64] [seconds=5] [rate=0]
//
// With rate=0, each connection sends its next request after the answer (closed loop). Otherwise so
// many requests per second are due, whatever the answers do (open loop), and latencies count from the
// time at which a request was due.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

#include "http/server.h"

namespace {

using rein::serve::HttpReply;
using rein::serve::HttpRequest;
using rein::serve::HttpServer;
using Clock = std::chrono::steady_clock;

double cpu_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

clockid_t clock_of(std::thread& thread) {
  clockid_t clock{};
  ::pthread_getcpuclockid(thread.native_handle(), &clock);
  return clock;
}

// Answers in a thread of its own, all that wait at once.
class Answerer {
 public:
  Answerer() : thread([this] { run(); }) {}
  ~Answerer() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    ready_.notify_one();
    thread.join();
  }
  void put(std::shared_ptr<HttpReply> reply) {
    bool first = false;
    {
      std::lock_guard lock(mutex_);
      first = waiting_.empty();
      waiting_.push_back(std::move(reply));
    }
    if (first) ready_.notify_one();
  }

 private:
  void run() {
    std::vector<std::shared_ptr<HttpReply>> batch;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
        if (stop_) return;
        batch.swap(waiting_);
      }
      {
        const rein::serve::ReplyBatch together;
        for (const auto& reply : batch) reply->send({.body = kBody});
      }
      batch.clear();
    }
  }
  const std::string kBody =
      R"({"id":"0123456789abcdef","action":2,"probability":0.7,"probabilities":[0.1,0.1,0.7,0.1],)"
      R"("price":[0.25],"left":{"dollars":12345.678901},"status":"on plan"})";
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<std::shared_ptr<HttpReply>> waiting_;
  bool stop_ = false;

 public:
  std::thread thread;
};

struct Connection {
  int socket = -1;
  Clock::time_point due{};
};

int connected_to(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int one = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) std::exit(1);
  return socket;
}

struct Load {
  std::vector<double> milliseconds;
  double seconds = 0.0;
};

// One thread, one request at a time per connection. An answer of this server comes in one piece.
Load send_load(int port, int connections, double seconds, double rate) {
  const std::string body =
      R"({"context":[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0,1.1,1.2,1.3,1.4,1.5,1.6],)"
      R"("request_id":"0123456789abcdef"})";
  const std::string request =
      "POST /v1/models/ads/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  const int poll = ::epoll_create1(0);
  std::vector<Connection> all(static_cast<std::size_t>(connections));
  std::vector<std::size_t> idle;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].socket = connected_to(port);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    ::epoll_ctl(poll, EPOLL_CTL_ADD, all[i].socket, &event);
    idle.push_back(i);
  }
  Load load;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration<double>(seconds);
  std::int64_t sent = 0;
  const auto due_of = [&](std::int64_t i) {
    return rate > 0.0 ? start + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(static_cast<double>(i) / rate))
                      : Clock::now();
  };
  for (auto now = start; now < end; now = Clock::now()) {
    while (!idle.empty() && (rate <= 0.0 || due_of(sent) <= now)) {
      Connection& one = all[idle.back()];
      idle.pop_back();
      one.due = due_of(sent++);
      if (::send(one.socket, request.data(), request.size(), MSG_NOSIGNAL) < 0) std::exit(1);
    }
    epoll_event events[64];
    const int n = ::epoll_wait(poll, events, 64, rate > 0.0 ? (idle.empty() ? 1 : 0) : 100);
    if (n == 0 && rate > 0.0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    for (int i = 0; i < n; ++i) {
      char buffer[4096];
      if (::recv(all[events[i].data.u64].socket, buffer, sizeof buffer, 0) <= 0) std::exit(1);
      idle.push_back(events[i].data.u64);
      const auto took = Clock::now() - all[events[i].data.u64].due;
      load.milliseconds.push_back(std::chrono::duration<double, std::milli>(took).count());
    }
  }
  load.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const Connection& one : all) ::close(one.socket);
  ::close(poll);
  return load;
}

}  // namespace

int main(int argc, char** argv) {
  const int connections = argc > 1 ? std::atoi(argv[1]) : 64;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 5.0;
  const double rate = argc > 3 ? std::atof(argv[3]) : 0.0;
  Answerer answerer;
  auto server = HttpServer::make({.port = 0}, [&](HttpRequest, std::shared_ptr<HttpReply> reply) {
    answerer.put(std::move(reply));
  });
  server.check();
  std::thread thread([&] { server.value()->run(); });
  Load load = send_load(server.value()->port(), connections, seconds, rate);
  const double own = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
  const double serving = cpu_seconds(clock_of(thread));
  const double answering = cpu_seconds(clock_of(answerer.thread));
  server.value()->stop(1.0);
  thread.join();
  std::sort(load.milliseconds.begin(), load.milliseconds.end());
  const auto n = static_cast<double>(load.milliseconds.size());
  const auto at = [&](double part) {
    return load.milliseconds.empty() ? 0.0
                                     : load.milliseconds[static_cast<std::size_t>(part * (n - 1))];
  };
  fmt::print("{} connections, {}: {:.0f} requests/s\n", connections,
             rate > 0.0 ? fmt::format("{:.0f} due per second", rate) : "closed loop",
             n / load.seconds);
  fmt::print("latency ms: p50 {:.3f}, p99 {:.3f}, p99.9 {:.3f}\n", at(0.5), at(0.99), at(0.999));
  fmt::print("processor us per request: server {:.2f}, answering thread {:.2f}, client {:.2f}\n",
             1e6 * serving / n, 1e6 * answering / n, 1e6 * own / n);
  return 0;
}
