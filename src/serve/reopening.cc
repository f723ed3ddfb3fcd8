// How a model that stopped comes back: its journal is opened anew, which folds what is durable. That
// is tried by itself, each time after a longer wait, and at once when somebody asks for it. Where its
// files are the reason, it is tried again only when they have changed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "http/log.h"
#include "serve/answer.h"
#include "serve/service.h"

namespace rein::serve {
namespace {

using Clock = std::chrono::steady_clock;

// Seconds before the first try, and the longest wait: it doubles in between.
constexpr double kFirstWait = 1.0, kLongestWait = 60.0;
// A model that was served for so long begins with the first wait again. One that stops sooner, as
// after a request that it always fails on, waits longer each time.
constexpr auto kServedWell = std::chrono::minutes(10);

double wait_after(int tries) { return std::min(kFirstWait * std::exp2(tries), kLongestWait); }

}  // namespace

void Service::plan_reopening(const std::string& name, std::optional<std::uint64_t> files) {
  const std::lock_guard lock(mutex_);
  Reopening& plan = reopening_[name];
  if (Clock::now() - plan.opened > kServedWell) plan.tries = 0;
  plan.due = true;
  plan.files = files;
  plan.next = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(wait_after(plan.tries++)));
}

void Service::add_stopped(const std::string& name, const Error& why) {
  const auto files = files_if_to_blame(name, why);
  plan_reopening(name, files);
  log("error", "stopped", {{"model", name}, {"why", why.message}});
  if (webhooks_) webhooks_->stopped(name, why.message);
  auto writer = std::make_shared<Writer>(name, why.message);
  if (files) writer->stop_again(why.message, static_cast<std::int64_t>(kLongestWait));
  const std::lock_guard lock(mutex_);
  models_[name] = std::move(writer);
}

// Any other failure may pass by itself: a full disk, a lock, a limit of the system.
std::optional<std::uint64_t> Service::files_if_to_blame(const std::string& name, const Error& why) const {
  if (why.reason == Reason::kFailed) return std::nullopt;
  return stamp_of_files(options_.data + "/" + name);
}

void Service::reopen_those_due() {
  std::map<std::string, std::optional<std::uint64_t>> due;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, plan] : reopening_) {
      if (plan.due && plan.next <= Clock::now()) due[name] = plan.files;
    }
  }
  for (const auto& [name, files] : due) {
    if (files && stamp_of_files(options_.data + "/" + name) == *files) {
      plan_reopening(name, files);
    } else {
      static_cast<void>(reopen(name));  // it says so in the log
    }
  }
}

Result<bool> Service::reopen(const std::string& name) {
  const auto writer = find(name);
  if (writer == nullptr) {
    return Error{fmt::format("model: there is no \"{}\"", name), Reason::kUnknown};
  }
  const auto stopped = writer->stopped();
  if (!stopped) return false;
  if (options_.shared) return Error{*stopped, Reason::kFailed};
  if (options_.in_memory) {
    const std::lock_guard lock(mutex_);
    reopening_[name].due = false;
    return Error{*stopped + "; its journal was in memory and is lost", Reason::kFailed};
  }
  writer->close();
  auto model = try_model(name, true);
  if (model && model.value() == nullptr) {
    model = Error{fmt::format("model {}: its journal is empty", name), Reason::kCorrupt};
  }
  const std::int64_t entries = model ? model.value()->committed() : 0;
  Result<> served = model ? Result<>() : Result<>(model.failure());
  if (served) {
    {
      const std::lock_guard lock(mutex_);  // before it is served: it may stop at once
      reopening_[name].due = false;
      reopening_[name].opened = Clock::now();
    }
    served = add(std::move(model).value());
  }
  if (!served) {
    plan_reopening(name, files_if_to_blame(name, served.failure()));
    double wait = 0.0;
    {
      const std::lock_guard lock(mutex_);
      wait = std::chrono::duration<double>(reopening_[name].next - Clock::now()).count();
    }
    writer->stop_again(served.error(), static_cast<std::int64_t>(std::ceil(wait)));
    log("error", "not opened again",
        {{"model", name}, {"why", served.error()}, {"next_try_seconds", wait}});
    return Error{served.error(), Reason::kFailed};
  }
  log("info", "opened again", {{"model", name}, {"entries", entries}, {"after", *stopped}});
  return true;
}

void Service::route_reopen(const std::string& name, const std::string& method,
                           const std::shared_ptr<HttpReply>& reply) {
  if (method != "POST") throw wrong_method(method, "POST");
  control_->run([this, name, reply] {
    const auto done = reopen(name);
    if (!done) {
      Refused why(503, "stopped", fmt::format("model {}: {}", name, done.error()));
      why.retry_after = 1;
      return reply->send(answer_of(why));
    }
    reply->send({.body = fmt::format("{{\"name\":{},\"reopened\":{}}}", Json(name).str(),
                                     done.value() ? "true" : "false"),
                 .headers = {}});
  });
}

std::vector<std::string> Service::stopped_names() const {
  std::vector<std::string> names;
  for (const auto& writer : all()) {
    if (writer->stopped()) names.push_back(writer->name());
  }
  return names;
}

// Ready as long as one model is served: others must not lose their traffic with it.
HttpResponse Service::readiness() const {
  if (!ready_) {
    Refused why(503, "busy", "models are being recovered");
    why.retry_after = 1;
    return answer_of(why);
  }
  const std::vector<std::string> stopped = stopped_names();
  if (stopped.empty()) return {.body = "{\"ready\":true}", .headers = {}};
  std::string listed;
  for (const std::string& name : stopped) {
    listed += fmt::format("{}{}", listed.empty() ? "" : ",", Json(name).str());
  }
  if (stopped.size() < names().size()) {
    return {.body = fmt::format("{{\"ready\":true,\"stopped\":[{}]}}", listed), .headers = {}};
  }
  Refused why(503, "stopped", fmt::format("every model has stopped: {}", listed));
  why.retry_after = 1;
  return answer_of(why);
}

}  // namespace rein::serve
