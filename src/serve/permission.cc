#include "serve/permission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "serve/answer.h"
#include "serve/data_folder.h"
#include "serve/json_in.h"
#include "serve/round_in.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

constexpr std::string_view kModelPath = "/v1/models/";

struct RoleName {
  std::string_view name;
  Role role;
};
constexpr std::array kRoleNames = std::to_array<RoleName>({{"decide", kDecideRole},
                                                           {"report", kReportRole},
                                                           {"read", kReadRole},
                                                           {"admin", kAdminRole}});

std::string names_of_roles(unsigned roles) {
  std::string names;
  for (const RoleName& each : kRoleNames) {
    if ((roles & each.role) != 0) names += (names.empty() ? "" : " or ") + std::string(each.name);
  }
  return names;
}

// The model and the verb of a path below /v1/models/; empty elsewhere.
std::pair<std::string_view, std::string_view> model_and_verb(std::string_view path) {
  if (!path.starts_with(kModelPath)) return {};
  path.remove_prefix(kModelPath.size());
  const auto take = [&path] {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    return part;
  };
  const std::string_view model = take();
  std::string_view verb = take();
  if (verb == "personalizer") {  // personalizer/v1.x/rank
    take();
    verb = take();
  }
  return {model, verb};
}

[[noreturn]] void refuse(const Access& access, const std::string& what, const std::string& accepted) {
  throw Refused(403, "role",
                fmt::format("token \"{}\": {}; accepted: {}", access.name, what, accepted));
}

// Each round that the body asks for is for the scopes of the token.
void check_scopes(const Access& access, const std::string& body) {
  const auto has = [&](const Json& round) {
    const auto* object = std::get_if<Json::Object>(&round.is);
    if (object == nullptr) return false;
    const auto given = std::ranges::find(*object, "scopes", &Json::Object::value_type::first);
    if (given == object->end() || !std::holds_alternative<Json::Object>(given->second.is)) return false;
    const auto scopes = read_scopes(given->second, "scopes");
    return std::ranges::all_of(access.scopes, [&](const auto& wanted) {
      return std::ranges::find(scopes, wanted) != scopes.end();
    });
  };
  const Json whole = read_json(body);
  bool right = has(whole);
  const auto* object = std::get_if<Json::Object>(&whole.is);
  if (object != nullptr && has_only(object, "rounds")) {
    const auto* rounds = std::get_if<Json::List>(&object->front().second.is);
    right = rounds != nullptr && std::ranges::all_of(*rounds, has);
  }
  if (right) return;
  std::string wanted;
  for (const auto& [dimension, key] : access.scopes) {
    wanted += fmt::format("{}\"{}\":\"{}\"", wanted.empty() ? "" : ",", dimension, key);
  }
  refuse(access, "the request is for other scopes", fmt::format("scopes with {{{}}}", wanted));
}

// Throws Refused.
void check_permission(HttpRequest& request, const Access& access) {
  const auto [model, verb] = model_and_verb(request.path);
  const unsigned roles = roles_for(request);
  if ((access.roles & (roles | kAdminRole)) == 0) {
    refuse(access, fmt::format("it has the role {}, which may not do this", names_of_roles(access.roles)),
           "a token with the role " + names_of_roles(roles | kAdminRole));
  }
  if (!access.models.empty() && std::ranges::find(access.models, model) == access.models.end()) {
    refuse(access, model.empty() ? "it is for some models, and this is about all"
                                 : fmt::format("it is not for the model {}", model.substr(0, 64)),
           fmt::format("the models {}", fmt::join(access.models, ", ")));
  }
  if (access.scopes.empty()) return;
  // Ids that the service gave cannot be guessed; those of callers could be another tenant's.
  request.token = false;
  if (verb == "decide") check_scopes(access, request.body);
  if (request.method == "GET" && request.path.ends_with("/runs")) {
    refuse(access, "the list has the runs of all scopes", "runs/ID, of a run whose id is known");
  }
  if (verb == "rank" || verb == "events") {
    refuse(access, "the calls of the ranking service have no scopes", "decide and outcome");
  }
}

Error wrong_token(const std::string& where, const std::string& why) {
  return {fmt::format("{}: {}", where, why)};
}

Result<> read_digest(const std::string& text, const std::string& where, Sha256& digest) {
  const std::string_view hex = std::string_view(text).substr(text.starts_with("sha256:") ? 7 : 0);
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (hex.size() != 64 || hex.find_first_not_of(kDigits) != std::string_view::npos) {
    return wrong_token(where + ".digest",
                       "accepted: sha256: and 64 hex digits, as `rein token` prints them");
  }
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(kDigits.find(hex[2 * i]) * 16 + kDigits.find(hex[2 * i + 1]));
  }
  return {};
}

unsigned role_named(const Json& value, const std::string& field) {
  const std::string& name = text_of(value, field);
  for (const RoleName& each : kRoleNames) {
    if (each.name == name) return each.role;
  }
  throw invalid(field, fmt::format("found {}; accepted: decide, report, read, admin", shown(value)));
}

// One table of [[service.tokens]]. Throws Refused.
Access read_access(const Json& value, const std::string& where) {
  Fields fields(value, where);
  Access access;
  access.name = text_of(fields.get("name"), fields.path("name"));
  if (!is_model_name(access.name)) {
    throw invalid(fields.path("name"), "accepted: 1 to 64 letters, digits, _, - and .");
  }
  taken(read_digest(text_of(fields.get("digest"), fields.path("digest")), where, access.digest));
  const Json& roles = fields.get("roles");
  const auto* list = std::get_if<Json::List>(&roles.is);
  if (list == nullptr) throw invalid(fields.path("roles"), "accepted: a list of decide, report, read, admin");
  for (const Json& each : *list) access.roles |= role_named(each, fields.path("roles"));
  if (access.roles == kNoRole) throw invalid(fields.path("roles"), "found none; accepted: one or more");
  if (const Json* models = fields.find("models")) {
    const auto* names = std::get_if<Json::List>(&models->is);
    if (names == nullptr || names->empty()) {
      throw invalid(fields.path("models"), "accepted: a list of names of models; leave it out for all");
    }
    for (const Json& each : *names) access.models.push_back(text_of(each, fields.path("models")));
  }
  if (const Json* scopes = fields.find("scopes")) {
    access.scopes = read_scopes(*scopes, fields.path("scopes"));
    if ((access.roles & (kReadRole | kAdminRole)) != 0) {
      throw invalid(fields.path("scopes"),
                    "found them beside the role read or admin, which see all scopes; accepted: with "
                    "decide and report only");
    }
  }
  fields.done();
  return access;
}

}  // namespace

unsigned roles_for(const HttpRequest& request) {
  const auto [model, verb] = model_and_verb(request.path);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  for (const Verb& each : verbs()) {
    if (!model.empty() && each.name == verb && each.method == request.method && each.roles != kNoRole) {
      return each.roles;
    }
  }
  return reads ? kReadRole : kAdminRole;
}

HttpHandler with_permissions(HttpHandler handler) {
  return [handler = std::move(handler)](HttpRequest request, std::shared_ptr<HttpReply> reply) {
    if (request.access != nullptr) {
      try {
        check_permission(request, *request.access);
        request.by = request.access->name;
      } catch (const Refused& why) {
        return reply->send(answer_of(why));
      }
    }
    handler(std::move(request), std::move(reply));
  };
}

Result<> read_tokens(const Json& value, std::vector<std::shared_ptr<const Access>>& tokens) {
  try {
    // A variable of the environment has them as text.
    const auto* text = std::get_if<std::string>(&value.is);
    const Json parsed = text != nullptr ? read_json(*text) : value;
    const auto* list = std::get_if<Json::List>(&parsed.is);
    if (list == nullptr) return Error{fmt::format("found {}; accepted: a list of tables", shown(parsed))};
    tokens.clear();
    for (std::size_t i = 0; i < list->size(); ++i) {
      Access access = read_access((*list)[i], fmt::format("tokens[{}]", i));
      for (const auto& other : tokens) {
        if (other->digest == access.digest || other->name == access.name) {
          return Error{fmt::format("tokens[{}]: it has the {} of another; accepted: one of its own", i,
                                   other->name == access.name ? "name" : "digest")};
        }
      }
      tokens.push_back(std::make_shared<const Access>(std::move(access)));
    }
  } catch (const Refused& why) {
    return Error{why.what()};
  }
  return {};
}

}  // namespace rein::serve
