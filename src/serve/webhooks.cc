#include "serve/webhooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <map>
#include <optional>

#include "base/json.h"
#include "http/client.h"
#include "http/hmac.h"
#include "http/log.h"

namespace rein::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFirstRetry = 1.0, kLongestRetry = 300.0;  // seconds between tries
constexpr std::size_t kNoticesAtOnce = 64;                        // notices that are asked for at a time
constexpr std::size_t kMostStopped = 100;                 // messages about stopped models that wait
constexpr std::int64_t kFirstLook = 86'400;               // seconds back, of a model that is new to a webhook
constexpr std::chrono::milliseconds kCallDeadline{5'000};     // of one request

Clock::duration retry_wait(int failures) {
  const double seconds = std::min(kFirstRetry * static_cast<double>(1ULL << std::min(failures, 20)), kLongestRetry);
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

class Webhooks::Line {
 public:
  Line(Webhook hook, ReadModel read, std::function<std::int64_t()> wall)
      : hook_(std::move(hook)),
        read_(std::move(read)),
        wall_(std::move(wall)),
        client_(std::make_shared<HttpClient>(1)),
        thread_([this] { loop(); }) {}
  ~Line() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    std::shared_ptr<HttpClient> client;
    {
      const std::lock_guard lock(mutex_);
      client.swap(client_);
    }
    client.reset();  // a call under way fails
    thread_.join();
  }
  void noticed(const std::string& model) {
    {
      const std::lock_guard lock(mutex_);
      Source& source = sources_[model];
      source.asked = true;
      if (source.failures == 0) source.next = Clock::now();
    }
    wake_.notify_one();
  }
  void stopped(Message message) {
    {
      const std::lock_guard lock(mutex_);
      if (stopped_.size() >= kMostStopped) {
        ++dropped_;
        stopped_.pop_front();
      }
      stopped_.push_back(std::move(message));
      stopped_next_ = std::min(stopped_next_, Clock::now());
    }
    wake_.notify_one();
  }
  bool wants(const std::string& what) const {
    return hook_.on.empty() || std::ranges::find(hook_.on, what) != hook_.on.end();
  }
  void write_metrics(std::map<std::string, std::string>& lines) const {
    const auto line = [&](const char* name, auto value) {
      lines[name] += fmt::format("{}{{webhook=\"{}\"}} {}\n", name, hook_.name, value);
    };
    line("rein_webhook_delivered_total", delivered_.load());
    line("rein_webhook_failures_total", failures_.load());
    line("rein_webhook_dropped_total", dropped_.load());
    const std::lock_guard lock(mutex_);
    std::int64_t waiting = static_cast<std::int64_t>(stopped_.size());
    for (const auto& each : sources_) waiting += each.second.waiting;
    line("rein_webhook_waiting", waiting);
  }

 private:
  // A model, seen from this webhook.
  struct Source {
    bool asked = false;
    Clock::time_point next{};
    int failures = 0;          // in a row
    std::int64_t waiting = 0;  // notices that are not told yet
  };
  struct Batch {
    std::vector<Message> messages;
    std::int64_t waiting = 0;  // notices after what was told, this batch included
    std::int64_t missing = 0;  // that left before they were told
  };

  void loop();
  void work(const std::string& model);
  void work_stopped();
  std::optional<Batch> fetch(const std::string& model) const;
  void mark(const std::string& model, std::int64_t through) const;
  bool send(const Message& message);
  void again(Source& source);

  const Webhook hook_;
  const ReadModel read_;
  const std::function<std::int64_t()> wall_;
  std::shared_ptr<HttpClient> client_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, Source> sources_;
  std::deque<Message> stopped_;
  Clock::time_point stopped_next_ = Clock::time_point::max();
  int stopped_failures_ = 0;
  bool ending_ = false;
  std::atomic<std::int64_t> delivered_ = 0, failures_ = 0, dropped_ = 0;
  std::thread thread_;
};

void Webhooks::Line::loop() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    Clock::time_point next = stopped_.empty() ? Clock::time_point::max() : stopped_next_;
    std::string due;
    bool any = false;
    for (const auto& [name, source] : sources_) {
      if (!source.asked || source.next > next || (any && source.next >= next)) continue;
      next = source.next;
      due = name;
      any = true;
    }
    if (next > Clock::now()) {
      if (next == Clock::time_point::max()) {
        wake_.wait(lock);
      } else {
        wake_.wait_until(lock, next);
      }
      continue;
    }
    lock.unlock();
    if (any) {
      work(due);
    } else {
      work_stopped();
    }
    lock.lock();
  }
}

void Webhooks::Line::work(const std::string& model) {
  {
    const std::lock_guard lock(mutex_);
    sources_[model].asked = false;  // what comes from now on asks again
  }
  const auto batch = fetch(model);
  if (!batch) {  // the model is not here; it asks again when it is served
    const std::lock_guard lock(mutex_);
    sources_.erase(model);
    return;
  }
  std::int64_t told = 0;
  bool failed = false;
  for (const Message& message : batch->messages) {
    failed = wants(message.what) && !send(message);
    if (failed) break;
    told = message.number;
  }
  if (told > 0) mark(model, told);
  if (told > 0 && batch->missing > 0) {
    dropped_ += batch->missing;
    log("error", "notices dropped", {{"webhook", hook_.name}, {"model", model}, {"count", batch->missing}});
  }
  const std::lock_guard lock(mutex_);
  Source& source = sources_[model];
  source.waiting = batch->waiting;
  for (const Message& message : batch->messages) source.waiting -= message.number <= told ? 1 : 0;
  if (told > 0) source.failures = 0;
  if (failed) {
    source.asked = true;
    source.next = Clock::now() + retry_wait(source.failures++);
    return;
  }
  source.failures = 0;
  if (source.waiting > 0) source.asked = true;
  source.next = Clock::now();
}

void Webhooks::Line::work_stopped() {
  Message message;
  {
    const std::lock_guard lock(mutex_);
    message = stopped_.front();
  }
  const bool sent = !wants(message.what) || send(message);
  const std::lock_guard lock(mutex_);
  if (sent) {
    if (!stopped_.empty() && stopped_.front().id == message.id) stopped_.pop_front();
    stopped_failures_ = 0;
    stopped_next_ = Clock::now();
  } else {
    stopped_next_ = Clock::now() + retry_wait(stopped_failures_++);
  }
}

// Runs in the thread of the model: what was noticed after what this webhook has told.
std::optional<Webhooks::Line::Batch> Webhooks::Line::fetch(const std::string& model) const {
  auto promise = std::make_shared<std::promise<std::optional<Batch>>>();
  auto found = promise->get_future();
  const std::string hook = hook_.name;
  const bool here = read_(
      model,
      [promise, hook](Model& at) {
        const Oversight& oversight = at.state().oversight;
        std::int64_t told = oversight.delivered(hook);
        for (const Notice& each : oversight.notices()) {
          if (oversight.delivered(hook) == 0 && each.at < at.now() - kFirstLook) told = each.number;
        }
        Batch batch{.messages = {}, .waiting = oversight.count() - told};
        for (const Notice& each : oversight.notices()) {
          if (each.number <= told || batch.messages.size() >= kNoticesAtOnce) continue;
          if (batch.messages.empty()) batch.missing = each.number - told - 1;
          batch.messages.push_back({.id = fmt::format("{}-{}-{}", at.name(), at.state().began, each.number),
                                    .what = each.what,
                                    .body = notice_text(each, at.name(), at.state().began),
                                    .number = each.number});
        }
        batch.waiting -= batch.missing;
        promise->set_value(std::move(batch));
      },
      [promise](const std::string&) { promise->set_value(std::nullopt); });
  if (!here) return std::nullopt;
  return found.get();
}

// The mark is committed with the next group, within a second. Until then, and after a crash before it, the
// model knows it or tells again.
void Webhooks::Line::mark(const std::string& model, std::int64_t through) const {
  const std::string hook = hook_.name;
  read_(
      model,
      [hook, through](Model& at) {
        JsonWriter json;
        json.begin_object().key("what").value("delivered").key("webhook").value(hook);
        json.key("through").value(through).end_object();
        at.push_notice(json.str());
      },
      [](const std::string&) {});
}

bool Webhooks::Line::send(const Message& message) {
  std::shared_ptr<HttpClient> client;
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    client = client_;
  }
  const std::string time = std::to_string(wall_());
  const auto signature = hmac_sha256(hook_.secret, fmt::format("{}.{}", time, message.body));
  std::string why = signature ? "" : signature.error();
  if (signature) {
    auto promise = std::make_shared<std::promise<Result<HttpResponse>>>();
    auto answer = promise->get_future();
    client->send({.address = hook_.address,
                  .method = "POST",
                  .target = hook_.target,
                  .body = message.body,
                  .headers = {{"Rein-Id", message.id},
                              {"Rein-Timestamp", time},
                              {"Rein-Signature", "v1=" + signature.value()}},
                  .deadline = kCallDeadline},
                 [promise](Result<HttpResponse> got) { promise->set_value(std::move(got)); });
    client.reset();
    Result<HttpResponse> got = Error{"the service ends", Reason::kFailed};
    try {
      got = answer.get();
    } catch (const std::future_error&) {  // the client ended before it began the call
    }
    if (!got) {
      why = got.error();
    } else if (got.value().status < 200 || got.value().status > 299) {
      why = fmt::format("status {}", got.value().status);
    }
  }
  if (why.empty()) {
    ++delivered_;
    return true;
  }
  ++failures_;
  log("warning", "webhook failed", {{"webhook", hook_.name}, {"id", message.id}, {"why", why}});
  return false;
}

Webhooks::Webhooks(std::vector<Webhook> hooks, ReadModel read, std::function<std::int64_t()> wall)
    : wall_(wall) {
  for (Webhook& hook : hooks) lines_.push_back(std::make_unique<Line>(std::move(hook), read, wall));
}

Webhooks::~Webhooks() = default;

void Webhooks::noticed(const std::string& model) {
  for (const auto& line : lines_) line->noticed(model);
}

void Webhooks::stopped(const std::string& model, const std::string& why) {
  if (lines_.empty()) return;
  const std::int64_t now = wall_();
  Message message{.id = fmt::format("{}-stopped-{}", model, now), .what = "stopped", .body = {}};
  JsonWriter json;
  json.begin_object().key("id").value(message.id).key("model").value(model).key("at").value(now);
  json.key("what").value("stopped").key("why").value(why).end_object();
  message.body = json.str();
  for (const auto& line : lines_) line->stopped(message);
}

std::string Webhooks::metrics() const {
  if (lines_.empty()) return {};
  std::map<std::string, std::string> lines;
  for (const auto& line : lines_) line->write_metrics(lines);
  const std::map<std::string, std::pair<const char*, const char*>> about = {
      {"rein_webhook_delivered_total", {"counter", "Notices that a webhook accepted, since the start."}},
      {"rein_webhook_failures_total", {"counter", "Tries that failed, since the start."}},
      {"rein_webhook_dropped_total", {"counter", "Notices that left before they could be told, since the start."}},
      {"rein_webhook_waiting", {"gauge", "Notices that are not told yet."}}};
  std::string out;
  for (const auto& [name, each] : about) {
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n{}", name, each.second, name, each.first, lines[name]);
  }
  return out;
}

}  // namespace rein::serve
