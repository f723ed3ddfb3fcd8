// How a request to a model finds the node that owns it. A request that another node has passed on goes no
// further, so it cannot go round in circles.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "cluster/node.h"
#include "cluster/shown.h"
#include "serve/answer.h"
#include "serve/json_in.h"

namespace rein::cluster {
namespace {

constexpr std::string_view kModels = "/v1/models/", kPages = "/models/";
// How long a request waits for an owner before it gets 503: a model that is given from node to node is
// away for less.
constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::size_t kMostWaiting = 4096;
// For a request that was passed on, and its answer. By then another node has taken over from an owner that
// stands still, and the caller, who sends it again, finds it there.
constexpr std::chrono::milliseconds kDeadline{2500};
// A node that does not own the model says so by this header: the request has changed nothing there.
constexpr const char* kNotOwner = "Rein-Not-Owner";

// The answer, with the name of the owner.
class OwnedReply final : public serve::HttpReply {
 public:
  OwnedReply(std::shared_ptr<serve::HttpReply> to, std::string owner)
      : to_(std::move(to)), owner_(std::move(owner)) {}
  void send(serve::HttpResponse response) override {
    response.headers.emplace_back("Rein-Owner", owner_);
    to_->send(std::move(response));
  }
  bool make_room(std::size_t bytes) override { return to_->make_room(bytes); }
  std::shared_ptr<serve::EventStream> stream() override { return to_->stream(); }

 private:
  std::shared_ptr<serve::HttpReply> to_;
  std::string owner_;
};

serve::HttpResponse busy(const std::string& why) {
  serve::Refused refused(503, "busy", why);
  refused.retry_after = 1;
  return serve::answer_of(refused);
}

std::string escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("/-_.~").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

std::string target_of(const serve::HttpRequest& request) {
  return escaped(request.path) + (request.query.empty() ? "" : "?" + request.query);
}

}  // namespace

void Node::handle(serve::HttpRequest request, std::shared_ptr<serve::HttpReply> reply) {
  const std::string& path = request.path;
  if (path == "/v1/cluster" && (request.method == "GET" || request.method == "HEAD")) {
    return reply->send({.body = cluster_json(*member_), .headers = {}});
  }
  if (path == "/readyz" && !member_->is_heard()) {
    return reply->send(busy("the store of the journals does not answer"));
  }
  // The live page of a model is at its owner, so that its events come from where the page is.
  if (path.starts_with(kPages)) {
    const auto owner = owner_elsewhere(path.substr(kPages.size()));
    if (owner) {
      return reply->send({.status = 307,
                          .body = "{}",
                          .headers = {{"Location", "http://" + owner->address + escaped(path)}}});
    }
  }
  if (!path.starts_with(kModels) || path.size() == kModels.size()) {
    return service_->handle(std::move(request), std::move(reply));
  }
  auto call = std::make_shared<Call>();
  call->model = path.substr(kModels.size(), path.find('/', kModels.size()) - kModels.size());
  call->request = std::move(request);
  call->reply = std::move(reply);
  call->until = Clock::now() + kPatience;
  if (call->request.path == fmt::format("{}{}/move", kModels, call->model)) return move(call);
  route(call);
}

// The node that owns a model, if it is another one.
std::optional<ClusterView::Node> Node::owner_elsewhere(const std::string& name) const {
  const ClusterView view = member_->view();
  const auto model = std::ranges::find(view.models, name, &ClusterView::Model::name);
  if (model == view.models.end() || model->lease_millis <= 0 || model->holder == options_.node) return {};
  const auto owner = std::ranges::find(view.nodes, model->holder, &ClusterView::Node::name);
  if (owner == view.nodes.end()) return {};
  return *owner;
}

void Node::route(const CallPtr& call) {
  const std::string& name = call->model;
  if (service_->serves(name)) {
    auto reply = std::make_shared<OwnedReply>(std::move(call->reply), options_.node);
    return service_->handle(std::move(call->request), std::move(reply));
  }
  const ClusterView view = member_->view();
  const auto model = std::ranges::find(view.models, name, &ClusterView::Model::name);
  const bool known = model != view.models.end() && model->head.last > 0;
  if (!known) {
    if (!call->looked_up) return look_up(call);
    if (call->exists) return wait_for_owner(call, "this node has not heard of its owner yet");
    return service_->handle(std::move(call->request), std::move(call->reply));  // makes it, or 404
  }
  if (call->request.passed_on) {
    serve::HttpResponse answer = busy(fmt::format("model {}: this node does not own it now", name));
    answer.headers.emplace_back(kNotOwner, options_.node);
    return call->reply->send(std::move(answer));
  }
  const auto owner = owner_elsewhere(name);
  if (!owner) return wait_for_owner(call, "a node is about to take it over");
  const bool events = call->request.path.ends_with("/events") && call->request.method == "GET";
  if (call->request.redirect || events) {
    return call->reply->send({.status = 307,
                              .body = "{}",
                              .headers = {{"Location", fmt::format("http://{}{}", owner->address,
                                                                   target_of(call->request))},
                                          {"Rein-Owner", owner->name}}});
  }
  pass_on(call, *owner);
}

// The view may be older than the model.
void Node::look_up(const CallPtr& call) {
  call->looked_up = true;
  control_->run([this, call] {
    const auto head = log_->head(call->model);
    if (!head && head.reason() == Reason::kFailed) {
      return call->reply->send(busy("the store of the journals does not answer"));
    }
    call->exists = head && head.value().last > 0;
    route(call);
  });
}

void Node::pass_on(const CallPtr& call, const ClusterView::Node& owner) {
  ++passed_on_;
  const serve::HttpRequest& request = call->request;
  serve::HttpCall out{.address = owner.address,
                      .method = request.method,
                      .target = target_of(request),
                      .body = request.body,
                      .headers = {{"Rein-Passed-By", options_.node}},
                      .deadline = kDeadline};
  if (request.token) out.headers.emplace_back("Authorization", "Bearer " + options_.token);
  if (!request.by.empty()) out.headers.emplace_back("Rein-By", request.by);
  if (!request.traceparent.empty()) out.headers.emplace_back("traceparent", request.traceparent);
  client_->send(std::move(out),
                [this, call, name = owner.name](Result<serve::HttpResponse> answer) {
                  passed(call, name, std::move(answer));
                });
}

void Node::passed(const CallPtr& call, const std::string& owner,
                  Result<serve::HttpResponse> answer) {
  if (!answer) {
    if (answer.reason() == Reason::kUnknown) return wait_for_owner(call, answer.error());
    return call->reply->send(busy(fmt::format(
        "model {}: its owner did not answer ({}). The request may have happened: send it again",
        call->model, answer.error())));
  }
  const bool elsewhere = std::ranges::any_of(
      answer.value().headers, [](const auto& header) { return header.first == kNotOwner; });
  if (elsewhere) return wait_for_owner(call, "it moves from one node to another");
  const bool told = std::ranges::any_of(
      answer.value().headers, [](const auto& header) { return header.first == "Rein-Owner"; });
  if (!told) answer.value().headers.emplace_back("Rein-Owner", owner);
  call->reply->send(std::move(answer).value());
}

void Node::wait_for_owner(const CallPtr& call, const std::string& why) {
  bool waits = false;
  {
    const std::lock_guard lock(mutex_);
    waits = !ending_ && waiting_.size() < kMostWaiting && Clock::now() < call->until;
    if (waits) waiting_.push_back(call);
  }
  if (waits) {
    if (!std::exchange(call->waited, true)) ++waited_;
    return;
  }
  call->reply->send(busy(fmt::format("model {}: {}; nothing has happened yet", call->model, why)));
}

void Node::retry_waiting() {
  std::deque<CallPtr> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(waiting_);
  }
  for (const CallPtr& call : calls) {
    try {
      route(call);
    } catch (const serve::Refused& why) {
      call->reply->send(serve::answer_of(why));
    }
  }
}

void Node::move(const CallPtr& call) {
  if (call->request.method != "POST") {
    return call->reply->send(serve::answer_of(serve::wrong_method(call->request.method, "POST")));
  }
  control_->run([this, call] {
    try {
      const Json body = serve::read_json(call->request.body);
      serve::Fields fields(body);
      const std::string to = fields.text("to", "");
      fields.done();
      const ClusterView view = member_->view();
      const bool known =
          std::ranges::find(view.nodes, to, &ClusterView::Node::name) != view.nodes.end();
      if (!to.empty() && !known) {
        throw serve::invalid(
            "to",
            fmt::format("found \"{}\"; accepted: the name of a node, or null", to.substr(0, 64)));
      }
      auto pinned = log_->pin(call->model, to);
      if (!pinned && pinned.reason() == Reason::kUnknown) {
        throw serve::Refused(404, "unknown", pinned.error());
      }
      if (!pinned) return call->reply->send(busy(pinned.error()));
      call->reply->send({.body = fmt::format("{{\"name\":{},\"to\":{}}}", Json(call->model).str(),
                                             to.empty() ? "null" : Json(to).str()),
                         .headers = {}});
    } catch (const serve::Refused& why) {
      call->reply->send(serve::answer_of(why));
    }
  });
}

}  // namespace rein::cluster
