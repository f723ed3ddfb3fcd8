#include "serve/oversight.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/size.h"

namespace rein::serve {
namespace {

// Accounts whose thresholds are remembered, per budget; then those of earlier windows are forgotten.
constexpr std::size_t kMostTold = 10'000;

Halt read_halt(Fields& fields) {
  Halt stop;
  stop.caller = fields.text("caller", "");
  stop.place.dimension = fields.text("scope", "");
  stop.place.key = fields.text("key", "");
  stop.place.digest = fields.text("digest", "");
  stop.by = fields.text("by", "");
  stop.why = fields.text("why", "");
  stop.at = fields.whole("at", 0);
  return stop;
}

void read_halts(const Json& list, const std::string& field, std::map<std::string, Halt>& into) {
  for (const Json& each : list_of(list, field)) {
    Fields fields(each, field);
    Halt stop = read_halt(fields);
    std::string key = halt_key(stop);
    into[std::move(key)] = std::move(stop);
  }
}

}  // namespace

std::string hex(const KeyDigest& key) { return fmt::format("{:016x}{:016x}", key.high, key.low); }

std::string halt_key(const Halt& stop) {
  if (!stop.caller.empty()) return "caller=" + stop.caller;
  return stop.place.whole() ? "" : stop.place.dimension + "=" + stop.place.digest;
}

void write_halt(JsonWriter& json, const Halt& stop) {
  if (!stop.caller.empty()) json.key("caller").value(stop.caller);
  if (!stop.place.whole()) {
    json.key("scope").value(stop.place.dimension).key("key").value(stop.place.key);
    json.key("digest").value(stop.place.digest);
  }
  json.key("by").value(stop.by).key("why").value(stop.why);
}

void write_halts(JsonWriter& json, const std::map<std::string, Halt>& stops) {
  json.begin_array();
  for (const auto& each : stops) {
    json.begin_object();
    write_halt(json, each.second);
    json.key("at").value(each.second.at).end_object();
  }
  json.end_array();
}

std::string notice_text(const Notice& notice, std::string_view model, std::int64_t began) {
  JsonWriter json;
  json.begin_object().key("id").value(fmt::format("{}-{}-{}", model, began, notice.number));
  json.key("model").value(model).key("number").value(notice.number);
  json.key("at").value(notice.at).end_object();
  std::string text = json.str();
  text.pop_back();
  return fmt::format("{},{}", text, std::string_view(notice.record).substr(1));
}

bool Oversight::empty() const {
  return count_ == 0 && delivered_.empty() && pauses_.empty() && quarantined_.empty() && callers_.empty();
}

void Oversight::keep(std::int64_t at, const std::string& what, const std::string& record) {
  kept_.push_back({.number = ++count_, .at = at, .what = what, .record = record});
  if (kept_.size() > kKeptNotices) kept_.pop_front();
}

void Oversight::fold(std::int64_t at, const std::string& record) {
  const Json parsed = read_json(record);
  Fields fields(parsed);
  const std::string what = text_of(fields.get("what"), "what");
  if (what == "delivered") {
    std::int64_t& through = delivered_[text_of(fields.get("webhook"), "webhook")];
    through = std::max(through, whole_of(fields.get("through"), "through"));
    return;
  }
  if (what == "threshold") {
    fold_threshold(fields);
  } else if (what == "status") {
    status_ = text_of(fields.get("status"), "status");
    status_at_[status_] = at;
  } else if (what == "suspect" || what == "cleared") {
    callers_.told(text_of(fields.get("caller"), "caller"), what == "suspect");
  } else {
    fold_halt(at, what, fields);
  }
  keep(at, what, record);
}

void Oversight::fold_report(const std::string& note) {
  const Json parsed = read_json(note);
  Fields fields(parsed);
  const Json* caller = fields.find("caller");
  if (caller != nullptr) callers_.report(plan_.callers, read_report(parsed));
}

void Oversight::forget_old_windows(const std::string& budget, std::int64_t window) {
  auto& accounts = told_[budget];
  if (accounts.size() <= kMostTold) return;
  std::erase_if(accounts, [&](const auto& each) { return each.second.window < window; });
  while (accounts.size() > kMostTold) accounts.erase(accounts.begin());
}

void Oversight::fold_threshold(Fields& fields) {
  const std::string budget = text_of(fields.get("budget"), "budget");
  const std::int64_t window = whole_of(fields.get("window"), "window");
  const std::string digest = fields.text("digest", "");
  Told& told = told_[budget][digest];
  if (told.window != window) told = {.window = window};
  told.level = std::max(told.level, number_of(fields.get("share"), "share"));
  forget_old_windows(budget, window);
}

void Oversight::fold_halt(std::int64_t at, const std::string& what, Fields& fields) {
  Halt stop = read_halt(fields);
  stop.at = at;
  const std::string key = halt_key(stop);
  if (what == "paused") {
    if (const Json* budget = fields.find("budget")) {
      const std::int64_t window = whole_of(fields.get("window"), "window");
      Told& told = told_[text_of(*budget, "budget")][stop.place.digest];
      if (told.window != window) told = {.window = window};
      told.paused = true;
    }
    pauses_[key] = std::move(stop);
  } else if (what == "resumed") {
    pauses_.erase(key);
  } else if (what == "quarantined") {
    quarantined_[key] = std::move(stop);
  } else if (what == "lifted") {
    quarantined_.erase(key);
    if (!stop.caller.empty()) callers_.forgive(stop.caller);
  } else {
    throw invalid("what", fmt::format("found \"{}\"; accepted: a notice that this program knows", what));
  }
}

Oversight::Told Oversight::told(const std::string& budget, const std::string& digest,
                                std::int64_t window) const {
  const auto accounts = told_.find(budget);
  if (accounts == told_.end()) return {};
  const auto found = accounts->second.find(digest);
  return found == accounts->second.end() || found->second.window != window ? Told{} : found->second;
}

std::int64_t Oversight::status_told_at(const std::string& status) const {
  const auto found = status_at_.find(status);
  return found == status_at_.end() ? -1 : found->second;
}

std::int64_t Oversight::delivered(const std::string& webhook) const {
  const auto found = delivered_.find(webhook);
  return found == delivered_.end() ? 0 : found->second;
}

namespace {

std::string text_of_key(const std::string& dimension, const ScopeKeys& keys, const Engine& engine) {
  const int i = engine.dimension_of(dimension);
  if (i < 0 || keys[as_size(i)].empty()) return {};
  return dimension + "=" + hex(keys[as_size(i)]);
}

}  // namespace

const Halt* Oversight::pause_for(const Engine& engine, std::span<const Scope> scopes) const {
  if (const auto whole = pauses_.find(""); whole != pauses_.end()) return &whole->second;
  const auto keys = engine.keys_of(scopes);
  if (!keys) return nullptr;  // the decision is refused for that
  for (const Scope& scope : scopes) {
    const auto found = pauses_.find(text_of_key(std::string(scope.dimension), keys.value(), engine));
    if (found != pauses_.end()) return &found->second;
  }
  return nullptr;
}

bool Oversight::is_quarantined(const std::string& caller, const Engine& engine, const ScopeKeys& keys) const {
  for (const auto& [key, stop] : quarantined_) {
    if (!stop.caller.empty() ? stop.caller == caller
                             : key == text_of_key(stop.place.dimension, keys, engine)) {
      return true;
    }
  }
  return false;
}

std::string Oversight::text() const {
  JsonWriter json;
  json.begin_object().key("count").value(count_).key("kept").begin_array();
  for (const Notice& each : kept_) {
    json.begin_object().key("number").value(each.number).key("at").value(each.at);
    json.key("what").value(each.what).key("record").value(each.record).end_object();
  }
  json.end_array().key("told").begin_array();
  for (const auto& [budget, accounts] : told_) {
    for (const auto& [digest, told] : accounts) {
      json.begin_object().key("budget").value(budget).key("digest").value(digest);
      json.key("window").value(told.window).key("level").value(told.level);
      json.key("paused").value(told.paused).end_object();
    }
  }
  json.end_array().key("status").value(status_).key("status_at").begin_object();
  for (const auto& [status, at] : status_at_) json.key(status).value(at);
  json.end_object().key("delivered").begin_object();
  for (const auto& [webhook, through] : delivered_) json.key(webhook).value(through);
  json.end_object().key("pauses");
  write_halts(json, pauses_);
  json.key("quarantined");
  write_halts(json, quarantined_);
  json.key("callers");
  callers_.write(json);
  json.end_object();
  return json.str();
}

void Oversight::read(const Json& saved) {
  Fields fields(saved, "oversight");
  count_ = whole_of(fields.get("count"), "count");
  for (const Json& each : list_of(fields.get("kept"), "kept")) {
    Fields notice(each, "kept");
    kept_.push_back({.number = whole_of(notice.get("number"), "number"),
                     .at = whole_of(notice.get("at"), "at"),
                     .what = text_of(notice.get("what"), "what"),
                     .record = text_of(notice.get("record"), "record")});
  }
  for (const Json& each : list_of(fields.get("told"), "told")) {
    Fields one(each, "told");
    told_[text_of(one.get("budget"), "budget")][text_of(one.get("digest"), "digest")] = {
        .window = whole_of(one.get("window"), "window"),
        .level = number_of(one.get("level"), "level"),
        .paused = one.truth("paused", false)};
  }
  status_ = text_of(fields.get("status"), "status");
  const auto numbers = [&](const char* name, std::map<std::string, std::int64_t>& into) {
    const Json::Object* object = object_in(fields.get(name));
    if (object == nullptr) throw invalid(name, "accepted: an object");
    for (const auto& [key, value] : *object) into[key] = whole_of(value, name);
  };
  numbers("status_at", status_at_);
  numbers("delivered", delivered_);
  read_halts(fields.get("pauses"), "pauses", pauses_);
  read_halts(fields.get("quarantined"), "quarantined", quarantined_);
  callers_.read(fields.get("callers"));
  fields.done();
}

}  // namespace rein::serve
