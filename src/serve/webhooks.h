// Webhooks: people are told by an HTTP request what a model noticed (oversight.h).
//
// Each webhook has a thread of its own, so that neither a decision nor another webhook waits for it. It asks the
// model for its notices, sends those that it is for, one by one and in their order, and then leaves a mark in
// the journal up to where it has told. So after any crash it goes on there: every notice arrives at least once,
// and a receiver knows repetitions by their id. A notice that is not accepted (a status of 200 to 299) is sent
// again, after 1 s, then twice as long each time, up to 5 minutes.
//
//     POST /path
//     Rein-Id: routing-1763596800-17
//     Rein-Timestamp: 1763596812
//     Rein-Signature: v1=HMAC-SHA256 in hex of "1763596812.BODY" under the secret
//
// Models keep their last 1000 notices. Those that left before they could be told are counted as dropped. A
// webhook that a model has not met is told what it noticed in the last 24 hours.
// `stopped` comes from no journal, because the model has none that can be written: it is kept in memory only.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rein/json.h"
#include "serve/writer.h"

namespace rein::serve {

struct Webhook {
  std::string name;     // in journals and metrics
  std::string address;  // "127.0.0.1:9000"
  std::string target = "/";
  std::string secret;
  std::vector<std::string> on;  // what of (Notice::what, and "stopped"); empty: everything
};
// From [[webhook]] of the settings: a list of tables. `variable` reads the environment, for secret_env.
Result<std::vector<Webhook>> read_webhooks(
    const Json& list, const std::function<std::optional<std::string>(const char* name)>& variable);

// What is sent.
struct Message {
  std::string id;
  std::string what;
  std::string body;
  std::int64_t number = 0;  // of the notice; 0: it is none
};

class Webhooks {
 public:
  // Runs a function on a model in the thread of its writer; false: there is no such model. See Writer::read.
  using ReadModel = std::function<bool(const std::string& name, Writer::Run run, Writer::Stopped stopped)>;
  // The wall clock is for timestamps only.
  Webhooks(std::vector<Webhook> hooks, ReadModel read, std::function<std::int64_t()> wall);
  ~Webhooks();
  Webhooks(const Webhooks&) = delete;
  Webhooks& operator=(const Webhooks&) = delete;

  bool empty() const { return lines_.empty(); }
  // Any thread, never waits: the model has notices that were not there before, or is served from now on.
  void noticed(const std::string& model);
  void stopped(const std::string& model, const std::string& why);
  std::string metrics() const;  // Prometheus text

 private:
  class Line;  // one webhook and its thread
  std::vector<std::unique_ptr<Line>> lines_;
  std::function<std::int64_t()> wall_;
};

}  // namespace rein::serve
