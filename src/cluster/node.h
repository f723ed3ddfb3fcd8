// Node: a service whose models are in a SharedLog, beside other nodes with the same log. It owns some of the
// models and follows the others (member.h), and takes requests for all of them: those for models of another
// node are passed on, one hop, to their owner.
//
//     GET  /v1/cluster            nodes, owners, epochs, how far followers are behind, the last takeovers
//     POST /v1/models/NAME/move   {"to": "b"} keeps a model on node b; {"to": null} ends that
//
// Every answer about a model has the header Rein-Owner with the name of its owner. A caller that sends
// Rein-Redirect gets 307 with the address of the owner in place of an answer that was passed on. While a model
// moves, requests wait for a moment, and then get 503 with Retry-After.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/member.h"
#include "http/client.h"
#include "http/server.h"
#include "serve/control.h"
#include "serve/service.h"

namespace rein::cluster {

struct NodeOptions {
  std::string node, address;  // as in MemberOptions
  std::string token;          // of all nodes; empty: none
  std::chrono::milliseconds lease = MemberOptions{}.lease;
  serve::ServiceOptions service;  // `data` and `shared` do not count
};

class Node final : private Host {
 public:
  // kFailed: the log does not answer. kInvalid: a name that is none.
  static Result<std::unique_ptr<Node>> open(std::shared_ptr<SharedLog> log, NodeOptions options);
  // Gives its models to other nodes.
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Makes these models, unless the log has them.
  Result<> recover(const serve::NamedDocuments& models);
  void handle(serve::HttpRequest request, std::shared_ptr<serve::HttpReply> reply);
  serve::Service& service() { return *service_; }
  const Member& member() const { return *member_; }

 private:
  using Clock = std::chrono::steady_clock;
  // A request to a model that may have to wait until its owner is known.
  struct Call {
    serve::HttpRequest request;
    std::shared_ptr<serve::HttpReply> reply;
    std::string model;
    Clock::time_point until;  // when it gets 503
    bool looked_up = false;   // the log was asked for the model, and has it:
    bool exists = false;
    bool waited = false;
  };
  using CallPtr = std::shared_ptr<Call>;

  Node(std::shared_ptr<SharedLog> log, NodeOptions options);
  Result<> start();
  void stop_threads();
  void beat_loop();
  void work_loop();

  bool has(const std::string& model) const override { return service_->has(model); }
  bool serves(const std::string& model) const override { return service_->serves(model); }
  Result<> serve(std::unique_ptr<serve::Model> model) override;
  std::unique_ptr<serve::Model> release(const std::string& model) override;
  serve::ModelOptions options(const std::string& model) override;

  std::optional<ClusterView::Node> owner_elsewhere(const std::string& name) const;
  void route(const CallPtr& call);
  void look_up(const CallPtr& call);
  void pass_on(const CallPtr& call, const ClusterView::Node& owner);
  void passed(const CallPtr& call, const std::string& owner, Result<serve::HttpResponse> answer);
  void wait_for_owner(const CallPtr& call, const std::string& why);
  void retry_waiting();
  void move(const CallPtr& call);
  std::vector<std::string> models_elsewhere(std::string_view name_key) const;
  std::string metrics() const;

  std::shared_ptr<SharedLog> log_;
  NodeOptions options_;
  std::unique_ptr<Member> member_;
  std::unique_ptr<serve::Service> service_;
  std::atomic<std::int64_t> passed_on_ = 0, waited_ = 0;
  std::mutex mutex_;  // guards the next block
  std::deque<CallPtr> waiting_;
  bool ending_ = false;
  std::condition_variable wake_;
  std::unique_ptr<serve::HttpClient> client_;
  std::unique_ptr<serve::Control> control_;
  std::thread beats_, works_;
  bool works_joined_ = false;
};

}  // namespace rein::cluster
