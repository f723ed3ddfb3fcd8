// [[webhook]] of rein.toml. Only who writes the settings says where messages go, so every host is accepted,
// loopback and private networks too; callers of the service cannot add any. Redirects are not followed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "http/hmac.h"
#include "serve/data_folder.h"
#include "serve/json_in.h"
#include "serve/webhooks.h"

namespace rein::serve {
namespace {

constexpr std::size_t kMostWebhooks = 16;
constexpr std::size_t kLeastSecret = 16;  // bytes
constexpr std::array<std::string_view, 9> kWhat = {"threshold",   "status", "paused",  "resumed", "quarantined",
                                                   "lifted",      "suspect", "cleared", "stopped"};

void read_url(const std::string& url, const std::string& field, Webhook& hook) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) {
    throw invalid(field, "found https; accepted: http://HOST:PORT/PATH, of a proxy on this machine that speaks TLS");
  }
  const bool plain = std::ranges::all_of(url, [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (!url.starts_with(kScheme) || !plain) throw invalid(field, "accepted: http://HOST:PORT/PATH");
  const std::string_view rest = std::string_view(url).substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  hook.address = std::string(rest.substr(0, slash));
  hook.target = slash < rest.size() ? std::string(rest.substr(slash)) : "/";
  const std::size_t end = hook.address.starts_with('[') ? hook.address.find(']') : 0;
  const std::size_t colon = hook.address.find(':', end == std::string::npos ? 0 : end);
  if (colon == std::string::npos) {
    hook.address += ":80";
    if (slash == 0 || hook.address.find_first_of("@?#") != std::string::npos) throw invalid(field, "accepted: http://HOST:PORT/PATH");
    return;
  }
  int port = 0;
  const char* last = hook.address.data() + hook.address.size();
  const auto [stop, code] = std::from_chars(hook.address.data() + colon + 1, last, port);
  const bool good = code == std::errc() && stop == last && port > 0 && port < 65'536 && colon > 0 &&
                    hook.address.find_first_of("@?#") == std::string::npos && hook.target.find('#') == std::string::npos;
  if (!good) throw invalid(field, "accepted: http://HOST:PORT/PATH");
}

Webhook read_webhook(const Json& given, const std::string& where,
                     const std::function<std::optional<std::string>(const char* name)>& variable) {
  Fields fields(given, where);
  Webhook hook;
  hook.name = fields.text("name", "webhook");
  if (!is_model_name(hook.name)) {
    throw invalid(fields.path("name"), "accepted: 1 to 64 letters, digits, _, - and .");
  }
  read_url(text_of(fields.get("url"), fields.path("url")), fields.path("url"), hook);
  hook.secret = fields.text("secret", "");
  const std::string from = fields.text("secret_env", "");
  if (hook.secret.empty() && !from.empty()) hook.secret = variable(from.c_str()).value_or("");
  if (hook.secret.size() < kLeastSecret) {
    throw invalid(fields.path("secret"),
                  fmt::format("found {} bytes; accepted: at least {}, here or in the variable that secret_env names",
                              hook.secret.size(), kLeastSecret));
  }
  if (const Json* on = fields.find("on")) {
    for (const Json& each : list_of(*on, fields.path("on"))) {
      const std::string& what = text_of(each, fields.path("on"));
      if (std::ranges::find(kWhat, what) == kWhat.end()) {
        throw invalid(fields.path("on"), fmt::format("found \"{}\"; accepted: {}", what, fmt::join(kWhat, ", ")));
      }
      hook.on.push_back(what);
    }
  }
  fields.done();
  return hook;
}

}  // namespace

Result<std::vector<Webhook>> read_webhooks(
    const Json& list, const std::function<std::optional<std::string>(const char* name)>& variable) {
  std::vector<Webhook> hooks;
  try {
    const auto* text = std::get_if<std::string>(&list.is);  // a variable of the environment has them as text
    const Json parsed = text != nullptr ? read_json(*text) : list;
    for (const Json& each : list_of(parsed, "webhook")) {
      Webhook hook = read_webhook(each, fmt::format("webhook[{}]", hooks.size()), variable);
      if (std::ranges::find(hooks, hook.name, &Webhook::name) != hooks.end()) {
        throw invalid(fmt::format("webhook[{}].name", hooks.size()), "found that of another; accepted: one of its own");
      }
      hooks.push_back(std::move(hook));
    }
    if (hooks.size() > kMostWebhooks) {
      throw invalid("webhook", fmt::format("found {}; accepted: at most {}", hooks.size(), kMostWebhooks));
    }
  } catch (const Refused& why) {
    return Error{why.what()};
  }
  if (!hooks.empty() && !has_hmac()) {
    return Error{"webhook: this program was built without libcrypto and cannot sign; accepted: none"};
  }
  return hooks;
}

}  // namespace rein::serve
