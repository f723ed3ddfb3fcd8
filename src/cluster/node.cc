#include "cluster/node.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "cluster/shown.h"
#include "http/log.h"
#include "serve/answer.h"
#include "serve/data_folder.h"

namespace rein::cluster {
namespace {

// Beats per lease: one may be lost, and the next still comes in time.
constexpr int kBeatsPerLease = 5;
// Followers look for new entries at least so often, and the work of a view begins at most so late.
constexpr std::chrono::milliseconds kLook{20};

std::int64_t system_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())
      .time_since_epoch()
      .count();
}

std::int64_t steady_millis() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now())
      .time_since_epoch()
      .count();
}

}  // namespace

Node::Node(std::shared_ptr<SharedLog> log, NodeOptions options)
    : log_(std::move(log)), options_(std::move(options)) {
  if (!options_.service.wall) options_.service.wall = system_seconds;
  Host& host = *this;
  member_ = std::make_unique<Member>(log_, host,
                                     MemberOptions{.node = options_.node,
                                                   .address = options_.address,
                                                   .lease = options_.lease,
                                                   .millis = steady_millis,
                                                   .seconds = options_.service.wall});
}

Result<std::unique_ptr<Node>> Node::open(std::shared_ptr<SharedLog> log, NodeOptions options) {
  if (!serve::is_model_name(options.node)) {
    return Error{fmt::format("node: found \"{}\"; accepted: 1 to 64 letters, digits, _, - and .",
                             options.node)};
  }
  std::unique_ptr<Node> node(new Node(std::move(log), std::move(options)));
  if (auto done = node->start(); !done) return done.failure();
  return node;
}

Result<> Node::start() {
  serve::ServiceOptions service = options_.service;
  service.wall = [this] { return member_->wall(); };
  service.shared = serve::SharedModels{
      .claim = [this](const std::string& model) { return member_->claim_new(model); },
      .options =
          [this](const std::string& model, serve::ModelOptions usual) {
            usual.snapshots = std::make_shared<LogSnapshots>(log_, model);
            usual.journal_to_read = [this, model]() -> Result<std::unique_ptr<Journal>> {
              auto journal = LogJournal::follow(log_, model);
              if (!journal) return journal.failure();
              return std::unique_ptr<Journal>(std::move(journal).value());
            };
            return usual;
          },
      .models_elsewhere = [this] { return models_elsewhere("name"); },
      .live_elsewhere = [this] { return models_elsewhere("model"); },
      .metrics = [this] { return metrics(); }};
  if (auto heard = member_->beat(); !heard) return heard;
  auto opened = serve::Service::open(std::move(service));
  if (!opened) return opened.failure();
  service_ = std::move(opened).value();
  client_ = std::make_unique<serve::HttpClient>();
  control_ = std::make_unique<serve::Control>(kLook, [this] { retry_waiting(); });
  return {};
}

Result<> Node::recover(const serve::NamedDocuments& models) {
  if (auto ready = service_->recover(); !ready) return ready;
  beats_ = std::thread([this] { beat_loop(); });
  works_ = std::thread([this] { work_loop(); });
  for (const auto& [name, document] : models) {
    const auto head = log_->head(name);
    if (head && head.value().last > 0) continue;
    auto made = service_->create(name, document);
    // Several nodes that start with the same settings make it at once, and one of them does.
    if (!made && made.reason() != Reason::kFailed && made.reason() != Reason::kFenced)
      return made.failure();
  }
  return {};
}

Node::~Node() {
  stop_threads();
  if (service_ != nullptr && works_joined_) member_->leave();
  // In this order: the control passes requests on, and calls that end put requests among those that wait.
  control_.reset();
  client_.reset();
  for (const CallPtr& call : waiting_) {
    call->reply->send(serve::refusal(503, "busy", "the service ends"));
  }
  service_.reset();
}

void Node::stop_threads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  works_joined_ = works_.joinable();
  if (beats_.joinable()) beats_.join();
  if (works_.joinable()) works_.join();
}

void Node::beat_loop() {
  std::unique_lock lock(mutex_);
  bool heard = true;
  while (!ending_) {
    lock.unlock();
    const auto done = member_->beat();
    if (heard != static_cast<bool>(done)) {
      heard = static_cast<bool>(done);
      serve::log(heard ? "info" : "error",
                 heard ? "the store answers again" : "the store does not answer",
                 {{"why", heard ? std::string() : done.error()}});
    }
    lock.lock();
    wake_.wait_for(lock, options_.lease / kBeatsPerLease, [this] { return ending_; });
  }
}

void Node::work_loop() {
  const auto ends = [this] {
    const std::lock_guard lock(mutex_);
    return ending_;
  };
  while (!ends()) {
    bool more = false;
    try {
      more = member_->work();
    } catch (const std::exception& bug) {
      serve::log("error", "a bug", {{"why", std::string(bug.what())}});
    }
    if (!more) log_->wait_for_entries(kLook);
  }
}

Result<> Node::serve(std::unique_ptr<serve::Model> model) {
  return service_->adopt(std::move(model));
}

std::unique_ptr<serve::Model> Node::release(const std::string& model) {
  return service_->release(model);
}

serve::ModelOptions Node::options(const std::string& model) {
  return service_->model_options(model);
}

std::string Node::metrics() const {
  return cluster_metrics(*member_, {.passed_on = passed_on_, .waited = waited_});
}

std::vector<std::string> Node::models_elsewhere(std::string_view name_key) const {
  std::vector<std::string> models;
  for (const ClusterView::Model& model : member_->view().models) {
    if (model.head.last == 0 || service_->has(model.name)) continue;
    JsonWriter json;
    json.begin_object().key(name_key).value(model.name).key("status").value("elsewhere");
    json.key("owner").value(model.lease_millis > 0 ? model.holder : "");
    json.key("epoch").value(model.head.epoch).end_object();
    models.push_back(json.str());
  }
  return models;
}

}  // namespace rein::cluster
