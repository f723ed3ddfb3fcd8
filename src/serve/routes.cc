// Which path does what.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "http/log.h"
#include "serve/answer.h"
#include "serve/holding.h"
#include "serve/metrics.h"
#include "serve/openapi.h"
#include "serve/page.h"
#include "serve/service.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

constexpr std::string_view kModelsPath = "/v1/models";

// Takes the part before the next "/" off the path.
std::string take_part(std::string_view& path) {
  const std::string part(path.substr(0, path.find('/')));
  path.remove_prefix(std::min(path.size(), part.size() + 1));
  return part;
}

// The calls of the closed ranking service come below their own path.
bool take_rank_path(std::string_view& path) {
  std::string_view rest = path;
  if (take_part(rest) != "personalizer" || !take_part(rest).starts_with("v1.")) return false;
  path = rest;
  return true;
}

// Room on the disk of a folder; -1: it cannot be told.
std::int64_t free_bytes_of(const std::string& folder) {
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  return error ? -1 : static_cast<std::int64_t>(space.available);
}

HttpResponse unknown_path(std::string_view path) {
  return refusal(404, "unknown",
                 fmt::format("path: found \"{}\"; /openapi.json lists what there is", path));
}

// Logs the answer when it goes out.
class LoggedReply : public HttpReply {
 public:
  LoggedReply(std::shared_ptr<HttpReply> to, const HttpRequest& request)
      : to_(std::move(to)),
        method_(request.method),
        path_(request.path),
        trace_(request.traceparent),
        by_(request.by) {}
  void send(HttpResponse response) override {
    Json::Object line = {{"method", method_}, {"path", path_}, {"status", response.status}};
    if (!by_.empty()) line.emplace_back("by", by_);
    if (!trace_.empty()) line.emplace_back("traceparent", trace_);
    log(response.status >= 500 ? "error" : "info", "request", line);
    to_->send(std::move(response));
  }
  bool make_room(std::size_t bytes) override { return to_->make_room(bytes); }
  std::shared_ptr<EventStream> stream() override { return to_->stream(); }

 private:
  std::shared_ptr<HttpReply> to_;
  std::string method_, path_, trace_, by_;
};

}  // namespace

void Service::handle(HttpRequest request, std::shared_ptr<HttpReply> reply) {
  const bool changes =
      request.method == "PUT" || request.method == "PATCH" || request.method == "DELETE";
  if (options_.log_requests || changes) {
    reply = std::make_shared<LoggedReply>(std::move(reply), request);
  }
  if (options_.telemetry) reply = options_.telemetry->watch(request, std::move(reply));
  try {
    route(request, reply);
  } catch (const Refused& why) {
    reply->send(answer_of(why));
  }
}

void Service::route(HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
  const std::string& path = request.path;
  if (path.starts_with(kModelsPath)) return route_models(request, reply);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads) {
    throw wrong_method(request.method, "GET");
  }
  if (path == "/healthz") return reply->send({.body = "{\"ok\":true}", .headers = {}});
  if (path == "/readyz") return reply->send(readiness());
  if (path == "/openapi.json") {
    return reply->send({.body = std::string(openapi_document()), .headers = {}});
  }
  if (path == "/metrics") {
    const HttpCounts counts = options_.counts ? options_.counts() : HttpCounts{};
    return gather([](Model& model) { return model_metrics(model); },
                  [](const std::string& name, const std::string&) { return stopped_metrics(name); },
                  [this, reply, counts](const std::vector<std::string>& parts) {
                    const std::int64_t free_bytes = options_.in_memory ? -1 : free_bytes_of(options_.data);
                    const std::string cluster = options_.shared ? options_.shared->metrics() : "";
                    const std::string spans = options_.telemetry ? options_.telemetry->metrics() : "";
                    reply->send({.body = all_metrics(parts, counts, free_bytes) + webhooks_->metrics() + cluster + spans,
                                 .type = "text/plain; version=0.0.4",
                                 .headers = {}});
                  });
  }
  if (path == "/v1/events") return watch("", reply->stream());
  if (!route_page(request, *reply)) reply->send(unknown_path(path));
}

bool Service::route_page(const HttpRequest& request, HttpReply& reply) const {
  const bool page = request.path == "/" || request.path.starts_with("/models/");
  const std::string_view wanted = page ? live_assets()[0].path : std::string_view(request.path);
  for (const Asset& asset : live_assets()) {
    if (asset.path != wanted) continue;
    HttpResponse response{
        .body = std::string(asset.body), .type = std::string(asset.type), .headers = {}};
    response.headers.emplace_back("Content-Security-Policy", std::string(kPagePolicy));
    response.headers.emplace_back("Referrer-Policy", "no-referrer");
    reply.send(std::move(response));
    return true;
  }
  return false;
}

void Service::route_models(HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
  std::string_view path = std::string_view(request.path).substr(kModelsPath.size());
  if (!path.empty() && path[0] != '/') return reply->send(unknown_path(request.path));
  if (!ready_) {
    Refused why(503, "busy", "models are being recovered");
    why.retry_after = 1;
    throw why;
  }
  if (path.empty() || path == "/") {
    if (request.method != "GET") throw wrong_method(request.method, "GET");
    return gather(
        [](Model& model) {
          JsonWriter json;
          write_summary(json, model);
          return json.str();
        },
        [](const std::string& name, const std::string& why) {
          return fmt::format("{{\"name\":{},\"status\":\"stopped\",\"why\":{}}}", Json(name).str(),
                             Json(why).str());
        },
        [this, reply](std::vector<std::string> parts) {
          if (options_.shared) {
            for (std::string& other : options_.shared->models_elsewhere()) parts.push_back(std::move(other));
          }
          reply->send(
              {.body = fmt::format("{{\"models\":[{}]}}", fmt::join(parts, ",")), .headers = {}});
        });
  }
  path.remove_prefix(1);
  const std::string name = take_part(path);
  if (request.method == "PUT" && path.empty() && !request.lines) {
    return put(name, std::move(request.body), std::move(request.by), reply);
  }
  // Not with a slash at the end: a caller may have lost the rest of a path.
  if (request.method == "DELETE" && path.empty()) {
    if (request.path.ends_with('/')) return reply->send(unknown_path(request.path));
    return remove(name, reply);
  }
  Ask ask{.method = std::move(request.method),
          .query = std::move(request.query),
          .body = std::move(request.body),
          .token = request.token,
          .by = std::move(request.by)};
  const bool ranks = take_rank_path(path);
  ask.verb = take_part(path);
  ask.rest = std::string(path);
  if (request.lines && ask.verb != "decide" && ask.verb != "outcome") {
    throw Refused(415, "type",
                  "Content-Type: found application/x-ndjson; accepted: application/json here, and "
                  "lines for decide and outcome");
  }
  const bool rank_verb = ask.verb == "rank" || (ask.verb == "events" && !ask.rest.empty());
  if (ranks != rank_verb) return reply->send(unknown_path(request.path));
  route_model(name, std::move(ask), reply);
}

void Service::route_model(const std::string& name, Ask ask,
                          const std::shared_ptr<HttpReply>& reply) {
  const auto writer = find(name);
  if (writer == nullptr) {
    throw Refused(404, "unknown",
                  fmt::format("model: there is no \"{}\"; PUT /v1/models/{} makes "
                              "one",
                              name.substr(0, 64), name.substr(0, 64)));
  }
  if (ask.method == "GET" && ask.verb == "events" && ask.rest.empty()) {
    return watch(name, reply->stream());
  }
  if (ask.verb == "reopen" && ask.rest.empty()) return route_reopen(name, ask.method, reply);
  if (ask.method == "HEAD") ask.method = "GET";
  ask.reply = reply.get();
  writer->ask(std::move(ask), reply);
}

// An entry after the first ones, which change nothing, names the token that made the model.
void Service::note_maker(const std::string& name, const std::string& by) {
  class NoReply final : public HttpReply {
   public:
    void send(HttpResponse /*response*/) override {}
    bool make_room(std::size_t /*bytes*/) override { return true; }
    std::shared_ptr<EventStream> stream() override { return nullptr; }
  };
  const auto writer = find(name);
  if (writer == nullptr) return;
  writer->ask({.method = "PATCH", .verb = "", .rest = "", .query = "", .body = "{}", .by = by},
              std::make_shared<NoReply>());
}

void Service::put(const std::string& name, std::string document, std::string by,
                  std::shared_ptr<HttpReply> reply) {
  control_->run([this, name, document = std::move(document), by = std::move(by), reply = std::move(reply)] {
    try {
      const auto there = find(name);
      if (auto stopped = there == nullptr ? std::nullopt : there->refusal()) {
        return reply->send(std::move(*stopped));
      }
      auto done = create(name, document);
      if (!done && done.reason() == Reason::kFailed) {
        Refused failed(503, "busy", done.error());
        failed.retry_after = 10;
        throw failed;
      }
      const bool made = taken(std::move(done));
      if (made && !by.empty()) note_maker(name, by);
      // The answer also has what the document leaves open: the limits of the model.
      const auto answer = [=](const Model& model) {
        JsonWriter limits;
        write_limits(limits, model);
        reply->send({.status = made ? 201 : 200,
                     .body = fmt::format("{{\"name\":{},\"limits\":{},\"document\":{}}}",
                                         Json(name).str(), limits.str(), document),
                     .headers = {}});
      };
      read(name, answer,
           [=](const std::string& why) { reply->send(refusal(503, "stopped", why)); });
    } catch (const Refused& why) {
      reply->send(answer_of(why));
    } catch (const std::exception& bug) {
      reply->send(refusal(500, "bug", bug.what()));
    }
  });
}

}  // namespace rein::serve
