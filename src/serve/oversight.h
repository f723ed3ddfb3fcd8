// Oversight: what people are told about a model, and what they stopped. It is part of the state of a model: a
// fold over the entries of kind kNotice, which the model writes when something is to be told
// (serve/oversee.cc) or when somebody asks for it (serve/oversight_verbs.cc).
//
//     notices      a budget passed a threshold, the status changed, a caller is suspect: once each
//     pauses       the model, or one key of a scope, waits until somebody resumes it
//     quarantine   the outcomes of a caller, or of a key, are not learned; their money counts
//     delivered    up to which notice each webhook has been told (serve/webhooks.h)
//
// A model whose document has none of it, and for which nobody asked, has an empty oversight: its snapshots
// and hashes are as they were, and its requests pay one comparison.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/engine.h"
#include "serve/callers.h"
#include "serve/json_in.h"

namespace rein::serve {

// What the document of a model asks for. It is read from the document, and is not saved beside it.
struct OversightPlan {
  struct OfBudget {
    std::vector<double> at;  // shares of the amount, ascending; empty: nothing is told
    double pause_at = 0.0;   // a share; 0: never
    bool watched() const { return !at.empty() || pause_at > 0.0; }
  };
  std::vector<OfBudget> budgets;     // as those of the engine; may be shorter
  std::vector<std::string> status;   // statuses that are told
  CallersPlan callers;
  bool watches = false;  // whether there is anything to look at after a group of requests
};
// From `notices` and `callers` of a document, and from `notices` and `pause_at` of its budgets. Throws
// Refused.
OversightPlan read_oversight(const Json& document, std::span<const Budget> budgets);
inline constexpr double kUsualThresholds[] = {0.5, 0.8, 0.95, 1.0};

// One thing that people are told.
struct Notice {
  std::int64_t number = 0;  // from 1, of this model
  std::int64_t at = 0;      // the time of the model
  std::string what;         // threshold, status, paused, resumed, quarantined, lifted, suspect, cleared
  std::string record;       // all of it, a JSON object without the number
};
// {"id":"routing-1763596800-17","model":"routing","number":17,"at":...,"what":"threshold",...}. `began` tells
// models of one name apart, so that an id is never used twice.
std::string notice_text(const Notice& notice, std::string_view model, std::int64_t began);

// A key of a scope, or the whole model: dimension and key are empty.
struct Place {
  std::string dimension;
  std::string key;     // as it is shown
  std::string digest;  // 32 hex digits
  bool whole() const { return dimension.empty(); }
};
std::string hex(const KeyDigest& key);

// What was stopped, by whom and why.
struct Halt {
  Place place;
  std::string caller;  // of a quarantine by the name of a token; empty: of `place`
  std::string by;      // the name of a token; empty: the service itself, or its own token
  std::string why;
  std::int64_t at = 0;
};

class Oversight {
 public:
  static constexpr std::size_t kKeptNotices = 1000;  // that GET notices shows, and webhooks can still get

  const OversightPlan& plan() const { return plan_; }
  void plan(OversightPlan plan) { plan_ = std::move(plan); }

  // Whether nothing of it is in the state, so that it is neither saved nor hashed.
  bool empty() const;
  // Applies an entry of kind kNotice. Throws Refused for what write_*() below cannot have written.
  void fold(std::int64_t at, const std::string& record);
  // Applies what an outcome says about its caller: the note of its entry.
  void fold_report(const std::string& note);

  // JSON; read() takes it back.
  std::string text() const;
  void read(const Json& saved);

  // What was told about an account in a window: the highest threshold, and whether it was paused for it.
  struct Told {
    std::int64_t window = -1;
    double level = 0.0;
    bool paused = false;
  };
  Told told(const std::string& budget, const std::string& digest, std::int64_t window) const;
  const std::string& status() const { return status_; }
  std::int64_t status_told_at(const std::string& status) const;  // -1: never
  std::int64_t count() const { return count_; }
  const std::deque<Notice>& notices() const { return kept_; }
  std::int64_t delivered(const std::string& webhook) const;

  bool any_pause() const { return !pauses_.empty(); }
  const std::map<std::string, Halt>& pauses() const { return pauses_; }
  // The pause that stops a decision of these keys; null: none does.
  const Halt* pause_for(const Engine& engine, std::span<const Scope> scopes) const;

  // Whether an outcome has to be judged before it is learned.
  bool judges() const { return plan_.callers.on() || !quarantined_.empty(); }
  const std::map<std::string, Halt>& quarantined() const { return quarantined_; }
  bool is_quarantined(const std::string& caller, const Engine& engine, const ScopeKeys& keys) const;
  const Callers& callers() const { return callers_; }

 private:
  void fold_threshold(Fields& fields);
  void fold_halt(std::int64_t at, const std::string& what, Fields& fields);
  void keep(std::int64_t at, const std::string& what, const std::string& record);
  void forget_old_windows(const std::string& budget, std::int64_t window);

  OversightPlan plan_;
  std::int64_t count_ = 0;
  std::deque<Notice> kept_;
  std::map<std::string, std::map<std::string, Told>> told_;  // by budget, by digest
  std::string status_ = "ok";
  std::map<std::string, std::int64_t> status_at_;
  std::map<std::string, std::int64_t> delivered_;
  std::map<std::string, Halt> pauses_;       // by halt_key()
  std::map<std::string, Halt> quarantined_;  // the same
  Callers callers_;
};

// The number of the window in which a threshold is told once. Rolling windows have none: the time in lengths of
// the window.
std::int64_t notice_window(const Budget& budget, const AccountState& account, std::int64_t now);
// What a pause or a quarantine is found by: "" for the whole model.
std::string halt_key(const Halt& stop);
void write_halt(JsonWriter& json, const Halt& stop);
void write_halts(JsonWriter& json, const std::map<std::string, Halt>& stops);

}  // namespace rein::serve
