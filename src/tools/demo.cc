#include "tools/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>

#include "http/waiting_reply.h"
#include "rein/rng.h"
#include "serve/json_in.h"

namespace rein::serve {
namespace {

HttpResponse ask(Service& service, const char* verb, std::string body) {
  auto reply = std::make_shared<WaitingReply>();
  service.handle(
      {.method = "POST", .path = fmt::format("/v1/models/demo/{}", verb), .body = std::move(body)},
      reply);
  return reply->wait();
}

// A prompt: how long it is, how hard, and whether it is about code. Larger models answer hard prompts
// better, and cost more.
struct Prompt {
  double length = 0.0, hard = 0.0;
  bool code = false;
};

struct Sent {
  std::string id;
  int model = 0;
  Prompt prompt;
};

constexpr std::array<const char*, 3> kModels = {"small", "medium", "large"};
constexpr std::array<double, 3> kSkill = {0.35, 0.6, 0.9};
constexpr std::array<double, 3> kPrice = {0.0004, 0.002, 0.012};

double quality(const Prompt& prompt, int model) {
  const double lacking = prompt.hard - kSkill[static_cast<std::size_t>(model)];
  return lacking <= 0.0 ? 0.95 : std::max(0.05, 0.95 - 1.4 * lacking - (prompt.code ? 0.1 : 0.0));
}

}  // namespace

std::string Demo::document() {
  return R"({"policy": "ccb", "actions": ["small", "medium", "large"],
    "context": {"length": "number", "hard": "number", "code": "bool"},
    "costs": {"dollars": [0, null]}, "reward": [0, 1],
    "largest_costs": {"small": 0.002, "medium": 0.01, "large": 0.05},
    "expire_after": 60, "baseline": "small", "fallback": ["infeasible"],
    "budgets": [
      {"name": "five minutes", "cost": "dollars", "amount": 12, "per": "5 minutes"},
      {"name": "hour", "cost": "dollars", "amount": 160, "per": "1 hour", "hard": true},
      {"name": "each team", "cost": "dollars", "amount": 8, "per": "5 minutes", "scope": "team"}]})";
}

Demo::Demo(Service& service, double per_second) : service_(service), per_second_(per_second) {
  thread_ = std::thread([this] { loop(); });
}

Demo::~Demo() {
  ending_ = true;
  thread_.join();
}

void Demo::loop() {
  using Clock = std::chrono::steady_clock;
  Rng rng(7);
  std::multimap<double, Sent> waiting;  // by the time at which its outcome is known
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  for (std::int64_t n = 0; !ending_; ++n) {
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<Clock::duration>(
                    std::chrono::duration<double>(static_cast<double>(n) / per_second_)));
    while (!waiting.empty() && waiting.begin()->first <= passed()) {
      const Sent sent = waiting.begin()->second;
      waiting.erase(waiting.begin());
      const double cost = kPrice[static_cast<std::size_t>(sent.model)] * (0.5 + sent.prompt.length);
      const bool liked = rng.uniform() < quality(sent.prompt, sent.model);
      // One bill in 50 never comes, and one rating in 5 does not.
      if (rng.uniform() > 0.02) {
        ask(service_, "outcome",
            fmt::format(R"({{"id":"{}","costs":{{"dollars":{}}}}})", sent.id, cost));
      }
      if (rng.uniform() > 0.2) {
        ask(service_, "outcome",
            fmt::format(R"({{"id":"{}","reward":{}}})", sent.id, liked ? 1 : 0));
      }
    }
    const Prompt prompt{rng.uniform(), rng.uniform(), rng.uniform() < 0.3};
    const HttpResponse answer =
        ask(service_, "decide",
            fmt::format(
                R"({{"context":{{"length":{},"hard":{},"code":{}}},"scopes":{{"team":"t{}"}}}})",
                prompt.length, prompt.hard, prompt.code, static_cast<int>(rng.uniform() * 5.0)));
    if (answer.status != 200) continue;
    const Json body = read_json(answer.body);
    Fields fields(body);
    Sent sent{.id = fields.text("id", ""), .prompt = prompt};
    const std::string model = fields.text("action", "");
    for (std::size_t i = 0; i < kModels.size(); ++i) {
      if (model == kModels[i]) sent.model = static_cast<int>(i);
    }
    // Half of the answers are rated at once.
    const double after = rng.uniform() < 0.5 ? 0.02 : 0.2 + 2.0 * rng.uniform();
    waiting.emplace(passed() + after, sent);
  }
}

}  // namespace rein::serve
