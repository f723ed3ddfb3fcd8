#include "serve/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
// Without exceptions the parser goes on for a moment after an error, and its assertions do not allow
// for that: text that is not TOML must be refused, in every build, and not end the process.
#define TOML_EXCEPTIONS 0
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include "serve/document.h"
#include "serve/holding.h"
#include "serve/keep.h"
#include "serve/model_size.h"
#include "serve/permission.h"

namespace rein::serve {
namespace {

Error wrong(const std::string& what) { return {"settings: " + what}; }

// The line of the first character outside of quotes and comments that is not ASCII; 0 if there is
// none. TOML allows no such character there, and the parser must not meet one: some are undefined
// behaviour in it.
std::size_t line_of_stray(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // the mark of UTF-8
  std::string_view inside;  // the quotes, or "#", that text is in
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      if (inside.size() == 1) inside = {};
    } else if (inside.empty()) {
      if (static_cast<unsigned char>(c) >= 0x80) return line;
      if (c != '"' && c != '\'' && c != '#') continue;
      const bool three = c != '#' && text.substr(i, 3) == std::string(3, c);
      inside = text.substr(i, three ? 3 : 1);
      i += inside.size() - 1;
    } else if (c == '\\' && inside[0] == '"') {
      ++i;
    } else if (inside[0] != '#' && text.substr(i).starts_with(inside)) {
      i += inside.size() - 1;
      inside = {};
    }
  }
  return 0;
}

// Values of TOML that JSON has too. Dates have no meaning here.
Result<Json> json_of(const toml::node& node, const std::string& path) {
  if (const auto* text = node.as_string()) return Json(text->get());
  if (const auto* whole = node.as_integer()) return Json(whole->get());
  if (const auto* truth = node.as_boolean()) return Json(truth->get());
  if (const auto* number = node.as_floating_point();
      number != nullptr && std::isfinite(number->get()))
    return Json(number->get());
  if (const auto* array = node.as_array()) {
    Json::List list;
    for (const toml::node& each : *array) {
      auto value = json_of(each, path);
      if (!value) return value;
      list.push_back(std::move(value).value());
    }
    return Json(std::move(list));
  }
  if (const auto* table = node.as_table()) {
    Json::Object object;
    for (const auto& [key, each] : *table) {
      auto value = json_of(each, fmt::format("{}.{}", path, key.str()));
      if (!value) return value;
      object.emplace_back(std::string(key.str()), std::move(value).value());
    }
    return Json(std::move(object));
  }
  return wrong(
      fmt::format("{}: found a date or a number that is not finite, line {}; accepted: "
                  "texts, numbers, true, false, lists and tables",
                  path, node.source().begin.line));
}

// A key of [service], and its variable of the environment.
struct Key {
  const char* name;
  const char* variable;
  std::function<Result<>(const Json& value)> set;
};

template <class Number>
auto whole_between(Number& to, std::int64_t low, std::int64_t high) {
  return [&to, low, high](const Json& value) -> Result<> {
    const auto* found = std::get_if<std::int64_t>(&value.is);
    if (found == nullptr || *found < low || *found > high) {
      return Error{fmt::format("found {}; accepted: {} to {}", shown(value), low, high)};
    }
    to = static_cast<Number>(*found);
    return {};
  };
}

auto text_into(std::string& to) {
  return [&to](const Json& value) -> Result<> {
    const auto* found = std::get_if<std::string>(&value.is);
    if (found == nullptr) return Error{fmt::format("found {}; accepted: a text", shown(value))};
    to = *found;
    return {};
  };
}

// Callers must be able to send it in a header.
Result<> set_token(const Json& value, std::string& token) {
  const auto* found = std::get_if<std::string>(&value.is);
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (found == nullptr || std::ranges::any_of(*found, control) || found->starts_with(' ') ||
      found->ends_with(' ')) {
    return Error{
        "found one that no header can have; accepted: a text without line breaks, and "
        "without spaces at its ends"};
  }
  token = *found;
  return {};
}

auto seconds_into(double& to) {
  return [&to](const Json& value) -> Result<> {
    const auto* whole = std::get_if<std::int64_t>(&value.is);
    const auto* number = std::get_if<double>(&value.is);
    const double found = whole != nullptr    ? static_cast<double>(*whole)
                         : number != nullptr ? *number
                                             : 0.0;
    if (found > 0.0 && found <= 86'400.0) {
      to = found;
      return {};
    }
    return Error{fmt::format("found {}; accepted: seconds, above 0 to 86400", shown(value))};
  };
}

Result<> set_log(const Json& value, bool& requests) {
  const auto* found = std::get_if<std::string>(&value.is);
  if (found == nullptr || (*found != "changes" && *found != "requests")) {
    return Error{fmt::format("found {}; accepted: \"changes\" or \"requests\"", shown(value))};
  }
  requests = *found == "requests";
  return {};
}

Result<> set_keep(const Json& value, std::int64_t& seconds) {
  const auto* found = std::get_if<std::string>(&value.is);
  const auto keep = found == nullptr ? std::nullopt : keep_in_seconds(*found);
  if (!keep) return Error{fmt::format("found {}; {}", shown(value), kKeepAccepted)};
  seconds = *keep;
  return {};
}

// In the environment the words are texts.
auto flag_into(bool& to) {
  return [&to](const Json& value) -> Result<> {
    const auto* text = std::get_if<std::string>(&value.is);
    const auto* flag = std::get_if<bool>(&value.is);
    const bool known = flag != nullptr || (text != nullptr && (*text == "true" || *text == "false"));
    if (!known) return Error{fmt::format("found {}; accepted: true or false", shown(value))};
    to = flag != nullptr ? *flag : *text == "true";
    return {};
  };
}

Result<> set_otlp(const Json& value, std::string& to) {
  const auto* found = std::get_if<std::string>(&value.is);
  if (found == nullptr) return Error{fmt::format("found {}; accepted: a text", shown(value))};
  if (auto place = otlp_place(*found); !place) return place.failure();
  to = *found;
  return {};
}

auto share_into(double& to) {
  return [&to](const Json& value) -> Result<> {
    const auto* whole = std::get_if<std::int64_t>(&value.is);
    const auto* number = std::get_if<double>(&value.is);
    const double found = whole != nullptr ? static_cast<double>(*whole) : number != nullptr ? *number : -1.0;
    if (found < 0.0 || found > 1.0) return Error{fmt::format("found {}; accepted: 0 to 1", shown(value))};
    to = found;
    return {};
  };
}

// A list, or in the environment names with commas between them.
Result<> set_hosts(const Json& value, std::vector<std::string>& hosts) {
  hosts.clear();
  if (const auto* text = std::get_if<std::string>(&value.is)) {
    std::string_view rest = *text;
    while (!rest.empty()) {
      const std::string_view part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      if (!part.empty()) hosts.emplace_back(part);
    }
    return {};
  }
  const auto* list = std::get_if<Json::List>(&value.is);
  if (list == nullptr) return Error{fmt::format("found {}; accepted: a list", shown(value))};
  for (const Json& each : *list) {
    const auto* text = std::get_if<std::string>(&each.is);
    if (text == nullptr) return Error{fmt::format("found {}; accepted: texts", shown(each))};
    hosts.push_back(*text);
  }
  return {};
}

std::vector<Key> keys_of(ServiceSettings& to) {
  HttpOptions& http = to.http;
  ServiceOptions& service = to.service;
  constexpr std::int64_t kMillion = 1'000'000;
  return {
      {"address", "REIN_ADDRESS", text_into(http.address)},
      {"port", "REIN_PORT", whole_between(http.port, 0, 65'535)},
      {"token", "REIN_TOKEN", [&](const Json& value) { return set_token(value, http.token); }},
      {"journal", "REIN_JOURNAL", text_into(to.journal)},
      {"node", "REIN_NODE", text_into(to.node)},
      {"advertise", "REIN_ADVERTISE", text_into(to.advertise)},
      {"tokens", "REIN_TOKENS", [&](const Json& value) { return read_tokens(value, http.tokens); }},
      {"hosts", "REIN_HOSTS", [&](const Json& value) { return set_hosts(value, http.hosts); }},
      {"data", "REIN_DATA", text_into(service.data)},
      {"log", "REIN_LOG", [&](const Json& value) { return set_log(value, service.log_requests); }},
      {"strict", "REIN_STRICT", flag_into(service.strict)},
      {"most_body_bytes", "REIN_MOST_BODY_BYTES",
       whole_between(http.most_body_bytes, 1024, 64 << 20)},
      {"most_memory_bytes", "REIN_MOST_MEMORY_BYTES",
       whole_between(http.most_memory_bytes, 16 << 20, kMillion * kMillion)},
      {"most_connections", "REIN_MOST_CONNECTIONS",
       whole_between(http.most_connections, 1, kMillion)},
      {"most_streams", "REIN_MOST_STREAMS", whole_between(http.most_streams, 0, kMillion)},
      {"most_waiting", "REIN_MOST_WAITING", whole_between(service.most_waiting, 1, kMillion)},
      {"most_models", "REIN_MOST_MODELS", whole_between(service.most_models, 1, 10'000)},
      {"most_model_bytes", "REIN_MOST_MODEL_BYTES",
       whole_between(service.most_model_bytes, 1 << 20, kMillion * kMillion)},
      {"request_seconds", "REIN_REQUEST_SECONDS", seconds_into(http.request_seconds)},
      {"idle_seconds", "REIN_IDLE_SECONDS", seconds_into(http.idle_seconds)},
      {"threads", "REIN_THREADS", whole_between(http.threads, 1, 64)},
      {"clock_jump_seconds", "REIN_CLOCK_JUMP_SECONDS",
       whole_between(service.clock_jump_seconds, 1, 86'400)},
      {"keep", "REIN_KEEP", [&](const Json& value) { return set_keep(value, service.keep_seconds); }},
      {"archive", "REIN_ARCHIVE", text_into(service.archive)},
      {"snapshot_every", "REIN_SNAPSHOT_EVERY",
       whole_between(service.snapshot_every, 100, kMillion * kMillion)},
  };
}

std::vector<Key> telemetry_keys_of(TelemetryOptions& to) {
  return {{"otlp", "REIN_OTLP", [&](const Json& value) { return set_otlp(value, to.otlp); }},
          {"sample", "REIN_OTLP_SAMPLE", share_into(to.sample)}};
}

std::string names_of(const std::vector<Key>& keys) {
  std::string names;
  for (const Key& key : keys) names += (names.empty() ? "" : ", ") + std::string(key.name);
  return names;
}

Result<> read_keys(std::string_view section, const toml::table& table, const std::vector<Key>& keys) {
  for (const auto& [name, node] : table) {
    const auto key =
        std::ranges::find_if(keys, [&found = name](const Key& k) { return found.str() == k.name; });
    if (key == keys.end()) {
      return wrong(fmt::format("{}.{}, line {}: not expected; accepted: {}", section, name.str(),
                               node.source().begin.line, names_of(keys)));
    }
    auto value = json_of(node, fmt::format("{}.{}", section, name.str()));
    if (!value) return value.failure();
    if (auto done = key->set(value.value()); !done) {
      return wrong(fmt::format("{}.{}, line {}: {}", section, name.str(), node.source().begin.line,
                               done.error()));
    }
  }
  return {};
}

Result<> read_variables(const std::vector<Key>& keys, const ReadVariable& variable) {
  for (const Key& key : keys) {
    const auto text = variable(key.variable);
    if (!text) continue;
    auto done = key.set(Json(*text));
    // A key that takes no text takes a number.
    const char* end = text->data() + text->size();
    std::int64_t whole = 0;
    double number = 0.0;
    if (const auto [stop, code] = std::from_chars(text->data(), end, whole);
        !done && code == std::errc() && stop == end) {
      done = key.set(Json(whole));
    } else if (const auto [at, failed] = std::from_chars(text->data(), end, number);
               !done && failed == std::errc() && at == end && std::isfinite(number)) {
      done = key.set(Json(number));
    }
    if (!done) return wrong(fmt::format("variable {}: {}", key.variable, done.error()));
  }
  return {};
}

Result<> read_models(const toml::table& table, ServiceSettings& to) {
  for (const auto& [name, node] : table) {
    const std::string path = fmt::format("models.{}", name.str());
    if (!node.is_table() || !is_model_name(name.str())) {
      return wrong(
          fmt::format("{}, line {}: accepted: a table with a name of letters, digits, _, - "
                      "and .",
                      path, node.source().begin.line));
    }
    auto value = json_of(node, path);
    if (!value) return value.failure();
    try {
      const ModelPlan plan = read_document(value.value());
      check_model_size(plan);
      check_key_bytes(plan.options);
      const auto engine = make_engine(plan);
      if (!engine) return wrong(fmt::format("{}: {}", path, engine.error()));
    } catch (const Refused& why) {
      return wrong(fmt::format("{}: {}", path, why.what()));
    }
    to.models.emplace_back(std::string(name.str()), value.value().str());
  }
  return {};
}

Result<> set_webhooks(const Json& list, const ReadVariable& variable, ServiceSettings& to) {
  auto hooks = read_webhooks(list, variable);
  if (!hooks) return wrong(hooks.error());
  to.service.webhooks = std::move(hooks).value();
  return {};
}

}  // namespace

Result<ServiceSettings> read_settings(std::string_view text, const ReadVariable& variable) {
  ServiceSettings settings;
  if (const std::size_t line = line_of_stray(text); line > 0) {
    return wrong(
        fmt::format("line {}: found a character that is not ASCII outside of quotes; "
                    "accepted: such characters in texts and comments",
                    line));
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const auto& place = parsed.error().source().begin;
    return wrong(fmt::format("line {}, column {}: {}", place.line, place.column,
                             parsed.error().description()));
  }
  const std::vector<Key> keys = keys_of(settings);
  const std::vector<Key> telemetry_keys = telemetry_keys_of(settings.telemetry);
  for (const auto& [name, node] : parsed.table()) {
    if (name.str() == "webhook" && node.is_array()) {
      auto list = json_of(node, "webhook");
      if (!list) return list.failure();
      if (auto done = set_webhooks(list.value(), variable, settings); !done) return done.failure();
      continue;
    }
    const bool known = name.str() == "service" || name.str() == "telemetry" || name.str() == "models";
    if (!known || !node.is_table()) {
      return wrong(fmt::format("{}, line {}: not expected; accepted: [service], [telemetry], [models.NAME] "
                               "and [[webhook]]",
                               name.str(), node.source().begin.line));
    }
    auto done = name.str() == "service"     ? read_keys("service", *node.as_table(), keys)
                : name.str() == "telemetry" ? read_keys("telemetry", *node.as_table(), telemetry_keys)
                                            : read_models(*node.as_table(), settings);
    if (!done) return done.failure();
  }
  if (auto done = read_variables(keys, variable); !done) return done.failure();
  if (auto done = read_variables(telemetry_keys, variable); !done) return done.failure();
  if (const auto hooks = variable("REIN_WEBHOOKS")) {
    if (auto done = set_webhooks(Json(*hooks), variable, settings); !done) return done.failure();
  }
  return settings;
}

}  // namespace rein::serve
