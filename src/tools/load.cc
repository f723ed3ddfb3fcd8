#include "tools/load.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <deque>
#include <fstream>

#include "base/size.h"
#include "rein/rng.h"
#include "tools/load_http.h"

namespace rein::serve {
namespace {

using Clock = std::chrono::steady_clock;

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Job {
  bool decides = true;
  double due = 0.0;  // seconds since the start
  std::uint64_t id = 0;
  int action = 0;
};

struct Connection {
  int socket = -1;
  bool busy = false;
  Job job;
  std::string in;
};

class Sender {
 public:
  Sender(const LoadOptions& options, const LoadTarget& to, LoadReport& report)
      : options_(options), to_(to), report_(report), rng_(options.seed) {
    make_bodies();
  }
  ~Sender() {
    for (const Connection& each : connections_) {
      if (each.socket >= 0) ::close(each.socket);
    }
    if (poll_ >= 0) ::close(poll_);
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  Result<> start() {
    poll_ = epoll_create1(0);
    if (poll_ < 0) return load_failed("epoll");
    connections_.resize(as_size(options_.connections));
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (auto done = connect(i); !done) return done;
      free_.push_back(i);
    }
    if (!options_.ledger.empty()) {
      ledger_.open(options_.ledger, std::ios::binary);
      if (!ledger_) return load_failed("--ledger " + options_.ledger);
    }
    return {};
  }

  // Whether every acknowledgement is in the ledger.
  Result<> finish() {
    if (!ledger_.is_open()) return {};
    ledger_.close();
    return ledger_ ? Result<>() : load_failed("--ledger " + options_.ledger);
  }

  void run(const std::function<void(double)>& progress) {
    start_ = Clock::now();
    const double end = options_.warm_up + options_.seconds;
    const double gap = 1.0 / options_.rate;
    double next = 0.0, shown = 0.0, cpu = -1.0;
    while (now() < end + 2.0) {
      const double t = now();
      if (cpu < 0.0 && t >= options_.warm_up) cpu = cpu_seconds();
      for (; next <= t && next < end; next += gap) queue({.decides = true, .due = next});
      while (!later_.empty() && later_.front().due <= t) {
        queue(later_.front());
        later_.pop_front();
      }
      send_waiting();
      if (progress && t - shown >= 0.2) progress(shown = t);
      if (next >= end && waiting_.empty() && later_.empty() && free_.size() == connections_.size())
        break;
      if (!receive(std::min(next < end ? next : t + 0.01, t + 0.01) - now())) break;
    }
    report_.seconds = options_.seconds;
    report_.cpu_seconds = cpu_seconds() - std::max(cpu, 0.0);
  }

 private:
  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool measured(const Job& job) const { return job.due >= options_.warm_up; }

  // Contexts are drawn beforehand: drawing them costs more than sending them.
  void make_bodies() {
    for (int i = 0; i < 1024; ++i) {
      std::string numbers;
      for (int j = 0; j < options_.context; ++j) {
        numbers += fmt::format("{}{:.4f}", j == 0 ? "" : ",", rng_.uniform());
      }
      bodies_.push_back(request("decide", fmt::format("{{\"context\":[{}]}}", numbers)));
    }
  }

  std::string request(std::string_view verb, const std::string& body) const {
    return load_request(options_, to_, fmt::format("POST /v1/models/{}/{}", options_.model, verb),
                        body);
  }

  Result<> connect(std::size_t i) {
    Connection& each = connections_[i];
    each = {};
    auto socket = connect_to(to_);
    if (!socket) return socket.failure();
    each.socket = socket.value();
    fcntl(each.socket, F_SETFL, O_NONBLOCK);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    if (epoll_ctl(poll_, EPOLL_CTL_ADD, each.socket, &event) != 0) return load_failed("epoll");
    return {};
  }

  void queue(const Job& job) {
    if (measured(job)) ++report_.due;
    waiting_.push_back(job);
  }

  void send_waiting() {
    while (!waiting_.empty() && !free_.empty()) {
      const std::size_t i = free_.back();
      free_.pop_back();
      Connection& to = connections_[i];
      to.job = waiting_.front();
      to.busy = true;
      waiting_.pop_front();
      const std::string text =
          to.job.decides
              ? bodies_[count_++ % bodies_.size()]
              : request("outcome",
                        fmt::format(
                            "{{\"id\":\"{:016x}\",\"reward\":{},\"costs\":{{\"cost\":{:.3f}}}}}",
                            to.job.id, rng_.uniform() < 0.5 ? 1 : 0,
                            0.2 * to.job.action * rng_.uniform()));
      if (::send(to.socket, text.data(), text.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(text.size())) {
        broke(i);
      }
    }
  }

  void broke(std::size_t i) {
    ++report_.broken;
    ::close(connections_[i].socket);
    if (connect(i)) free_.push_back(i);
  }

  bool receive(double wait) {
    std::array<epoll_event, 256> events;
    // Waking for every single request would cost more than the requests.
    constexpr double kLeast = 5e-5;
    const auto nanos = static_cast<long>(std::max(wait, kLeast) * 1e9);
    const timespec timeout{.tv_sec = 0, .tv_nsec = std::min(nanos, 999'999'999L)};
    const int count =
        epoll_pwait2(poll_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
    if (count < 0 && errno != EINTR) return false;
    for (int e = 0; e < count; ++e) take(events[as_size(e)].data.u64);
    return free_.size() + busy() > 0;
  }

  std::size_t busy() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(connections_, [](const Connection& each) { return each.busy; }));
  }

  void take(std::size_t i) {
    Connection& from = connections_[i];
    std::array<char, 16384> room;
    const ssize_t got = ::recv(from.socket, room.data(), room.size(), 0);
    if (got <= 0) {
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (!from.busy) free_.erase(std::ranges::find(free_, i));
      return broke(i);
    }
    from.in.append(room.data(), static_cast<std::size_t>(got));
    LoadAnswer answer;
    const std::size_t length = read_answer(from.in, answer);
    if (length == 0) return;
    if (length == std::string_view::npos || !from.busy) return broke(i);
    answered(from.job, answer);
    from.in.erase(0, length);
    from.busy = false;
    free_.push_back(i);
  }

  void answered(const Job& job, const LoadAnswer& answer) {
    const double t = now();
    if (measured(job)) {
      (job.decides ? report_.decide : report_.outcome).add(t - job.due);
      ++report_.statuses[answer.status];
      if (!job.decides) ++report_.outcome_statuses[answer.status];
      report_.good += answer.status == 200 ? 1 : 0;
    }
    if (answer.status != 200) return;
    std::uint64_t id = job.id;
    int action = 0;
    constexpr std::string_view kId = "{\"id\":\"", kAction = "\"action\":";
    if (job.decides && answer.body.starts_with(kId)) {
      const char* digits = answer.body.data() + kId.size();
      std::from_chars(digits, digits + 16, id, 16);
      const std::size_t at = answer.body.find(kAction);
      if (at != std::string_view::npos) {
        const char* number = answer.body.data() + at + kAction.size();
        std::from_chars(number, answer.body.data() + answer.body.size(), action);
      }
      later_.push_back({false, t + options_.outcome_after, id, action});
    }
    if (ledger_.is_open()) {
      ledger_ << fmt::format("{} {:016x}\n", job.decides ? "decide" : "outcome", id);
    }
  }

  const LoadOptions& options_;
  const LoadTarget& to_;
  LoadReport& report_;
  Rng rng_;
  Clock::time_point start_;
  int poll_ = -1;
  std::vector<Connection> connections_;
  std::vector<std::size_t> free_;
  std::deque<Job> waiting_;
  std::deque<Job> later_;  // outcomes, in the order in which they are due
  std::vector<std::string> bodies_;
  std::size_t count_ = 0;
  std::ofstream ledger_;
};

// Sends one request over a connection of its own, and waits.
Result<int> put_model(const LoadOptions& options, const LoadTarget& to) {
  auto made = connect_to(to);
  if (!made) return made.failure();
  const int socket = made.value();
  const std::string body = fmt::format(
      R"({{"actions":{},"context":{},"costs":{{"cost":1}},"reward":[0,1],"most_open":1000000,)"
      R"("expire_after":600,"budgets":[{{"name":"hour","cost":"cost","amount":{},"per":"3600 ticks"}}]}})",
      options.actions, options.context, std::ceil(options.rate * 3600.0 * 0.2));
  const std::string text =
      load_request(options, to, fmt::format("PUT /v1/models/{}", options.model), body);
  std::string in;
  LoadAnswer answer;
  bool sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL) > 0;
  while (sent && read_answer(in, answer) == 0) {
    std::array<char, 4096> room;
    const ssize_t got = ::recv(socket, room.data(), room.size(), 0);
    sent = got > 0;
    if (got > 0) in.append(room.data(), static_cast<std::size_t>(got));
  }
  ::close(socket);
  if (!sent) return load_failed("no answer to PUT");
  if (answer.status == 409) return answer.status;  // it is there, and was made for another rate
  if (answer.status >= 300) {
    return Error{fmt::format("load: PUT was answered {}: {}", answer.status, answer.body),
                 Reason::kFailed};
  }
  return answer.status;
}

}  // namespace

void LatencyHistogram::add(double seconds) {
  const double micros = std::max(seconds * 1e6, 1.0);
  const auto at = static_cast<std::size_t>(kPerDoubling * std::log2(micros));
  ++counts_[std::min(at, counts_.size() - 1)];
  ++count_;
  max_ = std::max(max_, seconds);
}

double LatencyHistogram::quantile(double share) const {
  if (count_ == 0) return 0.0;
  const auto rank = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count_)));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    sum += counts_[i];
    if (sum >= rank) return 1e-3 * std::exp2(static_cast<double>(i + 1) / kPerDoubling);
  }
  return max();
}

std::vector<std::int64_t> LatencyHistogram::doublings() const {
  std::vector<std::int64_t> sums(1 + counts_.size() / kPerDoubling);
  for (std::size_t i = 0; i < counts_.size(); ++i) sums[1 + i / kPerDoubling] += counts_[i];
  return sums;
}

Result<LoadReport> run_load(const LoadOptions& options,
                            const std::function<void(double seconds)>& progress) {
  const auto to = find_target(options);
  if (!to) return to.failure();
  if (auto made = put_model(options, to.value()); !made) return made.failure();
  LoadReport report;
  Sender sender(options, to.value(), report);
  if (auto started = sender.start(); !started) return started.failure();
  sender.run(progress);
  if (auto done = sender.finish(); !done) return done.failure();
  return report;
}

}  // namespace rein::serve
