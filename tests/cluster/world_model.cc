#include "cluster/world_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cluster/checks_model.h"
#include "cluster/node_model.h"
#include "serve/document.h"
#include "serve/first_entries.h"
#include "serve/json_in.h"

namespace rein::cluster {
namespace {

constexpr std::int64_t kFaultsMillis = 12'000;   // then the world is calm
constexpr std::int64_t kAnswersMillis = 25'000;  // within which a calm world answers everything
constexpr std::int64_t kPatienceMillis = 1500;   // of a client, before it sends again
constexpr int kClients = 4, kRequests = 14, kNodes = 3;

constexpr const char* kDocument =
    R"({"actions":2,"seed":3,"costs":["d"],"largest_costs":[1,1],
        "budgets":[{"name":"b","cost":"d","amount":16,"rounds":1000000,"hard":true}]})";

}  // namespace

struct World::Client {
  int left = kRequests;
  int number = 0;
  std::deque<std::shared_ptr<Request>> outcomes;  // that are due
};

namespace {

// The answer goes back over the network.
class NetReply final : public serve::HttpReply {
 public:
  explicit NetReply(std::function<void(serve::HttpResponse)> arrive) : arrive_(std::move(arrive)) {}
  void send(serve::HttpResponse response) override { arrive_(std::move(response)); }
  std::shared_ptr<serve::EventStream> stream() override { return nullptr; }

 private:
  std::function<void(serve::HttpResponse)> arrive_;
};

}  // namespace

World::World(std::uint64_t seed, Planted planted) : planted_(planted), random_(seed) {
  log_ = make_memory_log([this] { return kBegin * 1000 + millis_; });
}

World::~World() {
  if (!archive_.empty()) std::filesystem::remove_all(archive_);
}

void World::later(const std::string& model, std::int64_t millis, std::function<void()> arrive) {
  late_.push_back(std::make_shared<Late>(Late{model, std::move(arrive)}));
  at(millis_ + millis, [late = late_.back()] {
    if (const auto run = std::exchange(late->arrive, {})) run();
  });
}

void World::arrive_now(const std::string& model) {
  for (const auto& late : late_) {
    if (late->model != model || !late->arrive || !chance(0.8)) continue;
    const std::int64_t before = log_->head(model).value().last;
    std::exchange(late->arrive, {})();
    if (log_->head(model).value().last > before) ++verdict_.arrived_late;
  }
}

void World::at(std::int64_t millis, std::function<void()> run) {
  events_[{std::max(millis, millis_), order_++}] = std::move(run);
}

void World::wrong(const std::string& what) {
  verdict_.wrong.push_back(
      fmt::format("{:.3f} s: {}", static_cast<double>(millis_) / 1000.0, what));
}

void World::wake(Node& node, std::int64_t millis) {
  at(millis_ + millis, [&node, fibre = node.fibre.get()] {
    if (node.fibre.get() == fibre && !fibre->ended()) fibre->resume();
  });
}

void World::step_time(std::int64_t until) {
  while (!events_.empty() && events_.begin()->first.first <= until) {
    millis_ = events_.begin()->first.first;
    const auto run = std::move(events_.begin()->second);
    events_.erase(events_.begin());
    run();
  }
  millis_ = std::max(millis_, until);
}

void World::make_models() {
  const std::uint64_t count = 1 + draw(2);
  for (std::uint64_t i = 0; i < count; ++i) {
    models_.push_back(fmt::format("m{}", i));
    auto journal = LogJournal::claim(log_, models_.back(), "setup", true).value();
    serve::ModelPlan plan = serve::read_document(serve::read_json(kDocument));
    plan.options.secret = {draw(1U << 30U), draw(1U << 30U)};  // else the system draws it
    Engine engine = serve::make_engine(plan).value();
    engine.tick(seconds()).check();
    serve::append_first(*journal, serve::ModelState::creation(plan, engine, kDocument, seconds()))
        .check();
  }
}

void World::start_node(Node& node) {
  node.killed = false;
  node.inbox.clear();
  node.log = std::make_shared<FaultyLog>(*this, node);
  LogJournalOptions journal;
  journal.resend_for = std::chrono::milliseconds(300);
  journal.pause = [&node](std::chrono::milliseconds pause) { node.sleep(pause.count()); };
  node.member = std::make_unique<Member>(node.log, node,
                                         MemberOptions{.node = node.name,
                                                       .address = node.name + ":1",
                                                       .millis = [this] { return millis_; },
                                                       .seconds = [&node] { return node.wall(); },
                                                       .journal = journal});
  node.next_beat = 0;
  node.fibre = std::make_unique<Fibre>([this, &node] {
    try {
      run_node(node);
    } catch (const Killed&) {
    }
  });
  wake(node, 1);
}

void World::kill_node(Node& node) {
  if (node.fibre == nullptr) return;
  node.killed = true;
  while (!node.fibre->ended()) node.fibre->resume();
  node.inbox.clear();
  node.writers.clear();
  node.member.reset();
  node.fibre.reset();
}

void World::run_node(Node& node) {
  while (!node.killed) {  // it may be killed before its first step
    deliver(node);
    std::vector<std::string> names;
    for (const auto& each : node.writers) names.push_back(each.first);
    for (const std::string& name : names) node.writers[name]->step();
    if (millis_ >= node.next_beat) {
      static_cast<void>(node.member->beat());
      node.next_beat = millis_ + 250 + static_cast<std::int64_t>(draw(100));
    }
    node.member->work();
    node.sleep(2 + static_cast<std::int64_t>(draw(8)));
    if (faulty() && chance(faults_.long_pause / 10))
      node.sleep(static_cast<std::int64_t>(draw(5000)));
  }
}

void World::deliver(Node& node) {
  while (!node.inbox.empty()) {
    Node::Message message = std::move(node.inbox.front());
    node.inbox.pop_front();
    const auto writer = node.writers.find(message.model);
    if (writer == node.writers.end()) {
      message.reply->send({.status = 503, .body = "{}", .headers = {}});
    } else {
      writer->second->ask(std::move(message.ask), message.reply);
    }
  }
}

// Which faults there are, and when: some worlds have many of one kind and none of another.
void World::plan_faults() {
  const auto some = [&](double often) {
    const double choices[] = {0.0, often / 4, often};
    return choices[draw(3)];
  };
  faults_ = {.lost_call = some(0.05),
             .lost_answer = some(0.08),
             .late_append = some(0.2),
             .twice = some(0.2),
             .long_pause = some(0.01),
             .lost_message = some(0.1)};
  calm_from_ = kFaultsMillis;
  for (const auto& node : nodes_) {
    constexpr std::int64_t kSkews[] = {0, 0, 1, -2, 3600, -86'400, 40'000'000};
    node->skew = kSkews[draw(7)];
  }
  for (std::uint64_t i = draw(6); i > 0; --i) {
    const auto when = static_cast<std::int64_t>(draw(kFaultsMillis));
    Node& node = *nodes_[draw(kNodes)];
    at(when, [this, &node] {
      if (node.fibre == nullptr) return;
      kill_node(node);
      ++verdict_.kills;
      at(millis_ + static_cast<std::int64_t>(draw(3000)), [this, &node] {
        if (node.fibre == nullptr) start_node(node);
      });
    });
  }
  for (std::uint64_t i = draw(3); i > 0; --i) {
    at(static_cast<std::int64_t>(draw(kFaultsMillis)),
       [this] { outage_until_ = millis_ + static_cast<std::int64_t>(draw(3000)); });
  }
  for (std::uint64_t i = draw(4); i > 0; --i) {
    at(static_cast<std::int64_t>(draw(kFaultsMillis)), [this] {
      const std::string to = draw(3) == 0 ? "" : nodes_[draw(kNodes)]->name;
      log_->pin(models_[draw(models_.size())], to).check();
    });
  }
}

void World::next_request(Client& client) {
  auto request = std::make_shared<Request>();
  if (!client.outcomes.empty()) {
    request = client.outcomes.front();
    client.outcomes.pop_front();
  } else if (client.left > 0) {
    --client.left;
    request->model = models_[draw(models_.size())];
    request->verb = "decide";
    request->request_id = fmt::format("r{}", requests_.size());
    request->body = fmt::format(R"({{"request_id":"{}"}})", request->request_id);
  } else {
    return;
  }
  requests_.push_back(request);
  send(client, request);
}

void World::send(Client& client, const std::shared_ptr<Request>& request) {
  if (request->done) return;
  const int number = ++request->tries;
  at(millis_ + kPatienceMillis, [this, &client, request, number] {
    if (!request->done && request->tries == number) send(client, request);
  });
  const int copies = faulty() && chance(0.05) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    if (faulty() && chance(faults_.lost_message)) continue;
    Node& node = *nodes_[draw(kNodes)];
    at(millis_ + 1 + static_cast<std::int64_t>(draw(20)), [this, &client, &node, request] {
      if (node.fibre == nullptr) return;
      auto reply = std::make_shared<NetReply>([this, &client, request](serve::HttpResponse answer) {
        if (faulty() && chance(faults_.lost_message)) return;
        at(millis_ + static_cast<std::int64_t>(draw(20)),
           [this, &client, request, answer = std::move(answer)] {
             answered(client, request, answer);
           });
      });
      node.inbox.push_back({.ask = {.method = "POST", .verb = request->verb, .body = request->body},
                            .model = request->model,
                            .reply = std::move(reply)});
    });
  }
}

void World::answered(Client& client, const std::shared_ptr<Request>& request,
                     const serve::HttpResponse& answer) {
  const bool money = answer.status == 429 && answer.body.find("\"budget\"") != std::string::npos;
  if (answer.status == 200 && request->done && request->status == 200 &&
      request->verb == "decide" && answer.body != request->answer) {
    return wrong(fmt::format("request {} was answered {} and {}", request->request_id,
                             request->answer, answer.body));
  }
  const bool refused = answer.status >= 400 && answer.status != 503 && (answer.status != 429 || money);
  if (refused && request->done && request->status == 200) {
    return wrong(fmt::format("{} {} was answered, and then refused: {}", request->verb, request->body,
                             answer.body));
  }
  if (request->done) return;
  if (answer.status == 503 || (answer.status == 429 && !money)) {
    const int number = request->tries;
    at(millis_ + 30 + static_cast<std::int64_t>(draw(200)), [this, &client, request, number] {
      if (!request->done && request->tries == number) send(client, request);
    });
    return;
  }
  request->done = true;
  request->status = answer.status;
  request->answer = answer.body;
  if (answer.status == 200 && request->verb == "decide" && draw(8) != 0) {
    const Json parsed = serve::read_json(answer.body);
    serve::Fields fields(parsed);
    auto outcome = std::make_shared<Request>();
    outcome->model = request->model;
    outcome->verb = "outcome";
    outcome->decision = fields.text("id", "");
    outcome->cost = 0.25 * static_cast<double>(1 + draw(4));
    outcome->body =
        fmt::format(R"({{"id":"{}","reward":0.5,"costs":{}}})", outcome->decision, outcome->cost);
    client.outcomes.push_back(outcome);
  }
  if (answer.status != 200 && !money) {
    wrong(fmt::format("{} {} was answered {} {}", request->verb, request->body, answer.status,
                      answer.body));
  }
  at(millis_ + static_cast<std::int64_t>(draw(400)), [this, &client] { next_request(client); });
}

bool World::all_done() const {
  const bool sent = std::ranges::all_of(
      clients_, [](const auto& client) { return client->left == 0 && client->outcomes.empty(); });
  return sent && std::ranges::all_of(requests_, [](const auto& request) { return request->done; });
}

Verdict World::run() {
  make_models();
  // Some worlds keep little of their journals.
  if (draw(3) == 0) {
    const std::string memory = std::filesystem::exists("/dev/shm") ? "/dev/shm" : testing::TempDir();
    archive_ = fmt::format("{}/rein_world_{}", memory, ::getpid());
    std::filesystem::remove_all(archive_);
  }
  for (int i = 0; i < kNodes; ++i) {
    nodes_.push_back(std::make_unique<Node>(*this, std::string(1, static_cast<char>('a' + i))));
  }
  plan_faults();
  for (const auto& node : nodes_) start_node(*node);
  for (int i = 0; i < kClients; ++i) {
    clients_.push_back(std::make_unique<Client>());
    at(static_cast<std::int64_t>(1500 + draw(500)),
       [this, client = clients_.back().get()] { next_request(*client); });
  }
  step_time(calm_from_);
  for (const auto& node : nodes_) {
    if (node->fibre == nullptr) start_node(*node);
  }
  const std::int64_t deadline = calm_from_ + kAnswersMillis;
  while (!all_done() && millis_ < deadline) step_time(millis_ + 200);
  if (!all_done()) wrong("a calm world does not answer");
  Checks checks(*this);
  checks.journals();
  checks.nodes();
  for (const auto& node : nodes_) kill_node(*node);
  events_.clear();
  return verdict_;
}

Verdict simulate(std::uint64_t seed, Planted planted) { return World(seed, planted).run(); }

}  // namespace rein::cluster
