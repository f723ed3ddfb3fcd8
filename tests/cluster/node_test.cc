// Nodes as their callers meet them: over HTTP, with the journals in a store in memory.
#include "cluster/node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "http/waiting_reply.h"
#include "journal/memory_log.h"
#include "serve/json_in.h"

namespace rein::cluster {
namespace {

constexpr const char* kNodeDocument =
    R"({"actions":2,"seed":3,"costs":["d"],"largest_costs":[1,1],
        "budgets":[{"name":"b","cost":"d","amount":100,"rounds":1000000,"hard":true}]})";

// A node, the server by which others reach it, and the thread of that server.
class Served {
 public:
  Served(std::shared_ptr<SharedLog> log, const std::string& name) {
    server_ = serve::HttpServer::make({.port = 0}, [this](serve::HttpRequest request, auto reply) {
                node_->handle(std::move(request), std::move(reply));
              }).value();
    NodeOptions options{.node = name, .address = "127.0.0.1:" + std::to_string(server_->port())};
    options.lease = std::chrono::milliseconds(500);
    node_ = Node::open(std::move(log), options).value();
    thread_ = std::thread([this] { server_->run(); });
    node_->recover({}).check();
  }
  ~Served() {
    server_->stop(1.0);
    thread_.join();
    node_.reset();
  }
  Node& node() { return *node_; }

  serve::HttpResponse ask(const std::string& method, const std::string& path, std::string body = {},
                          bool redirect = false, bool passed_on = false) {
    auto reply = std::make_shared<serve::WaitingReply>();
    serve::HttpRequest request{.method = method, .path = path, .body = std::move(body)};
    request.redirect = redirect;
    request.passed_on = passed_on;
    node_->handle(std::move(request), reply);
    return reply->wait();
  }

 private:
  std::unique_ptr<Node> node_;
  std::unique_ptr<serve::HttpServer> server_;
  std::thread thread_;
};

std::string header(const serve::HttpResponse& answer, const std::string& name) {
  const auto found =
      std::ranges::find(answer.headers, name, &std::pair<std::string, std::string>::first);
  return found == answer.headers.end() ? "" : found->second;
}

std::string text(const serve::HttpResponse& answer, std::string_view name) {
  const Json parsed = serve::read_json(answer.body);
  serve::Fields fields(parsed);
  return fields.text(name, "");
}

class NodeTest : public testing::Test {
 protected:
  // Asks until the node answers so, as a caller does who got 503.
  serve::HttpResponse ask_until(Served& node, const std::string& method, const std::string& path,
                                const std::string& body,
                                const std::function<bool(const serve::HttpResponse&)>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (true) {
      auto answer = node.ask(method, path, body);
      if (done(answer) || std::chrono::steady_clock::now() > end) return answer;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  static bool good(const serve::HttpResponse& answer) { return answer.status < 300; }

  std::shared_ptr<SharedLog> log_ = make_memory_log();
};

TEST_F(NodeTest, AnyNodeAnswersForTheModelOfAnother) {
  Served a(log_, "a"), b(log_, "b");
  EXPECT_EQ(a.ask("PUT", "/v1/models/m", kNodeDocument).status, 201);
  const auto there = b.ask("POST", "/v1/models/m/decide", R"({"request_id":"1"})");
  EXPECT_EQ(there.status, 200) << there.body;
  const std::string owner = header(there, "Rein-Owner");
  EXPECT_TRUE(owner == "a" || owner == "b");
  const auto again = a.ask("POST", "/v1/models/m/decide", R"({"request_id":"1"})");
  EXPECT_EQ(again.body, there.body);
  EXPECT_EQ(b.ask("PUT", "/v1/models/m", kNodeDocument).status, 200);  // it is there
  const auto unknown = b.ask("POST", "/v1/models/none/decide", "{}");
  EXPECT_EQ(unknown.status, 404) << unknown.body;
}

TEST_F(NodeTest, ACallerThatAsksForItIsSentToTheOwner) {
  Served a(log_, "a"), b(log_, "b");
  EXPECT_EQ(a.ask("PUT", "/v1/models/m", kNodeDocument).status, 201);
  ASSERT_TRUE(good(a.ask("POST", "/v1/models/m/move", R"({"to":"a"})")));
  const auto at_a = ask_until(b, "GET", "/v1/models/m/state", "", [](const auto& answer) {
    return header(answer, "Rein-Owner") == "a";
  });
  ASSERT_EQ(header(at_a, "Rein-Owner"), "a");
  const auto sent = b.ask("POST", "/v1/models/m/decide", "{}", true);
  EXPECT_EQ(sent.status, 307) << sent.body;
  EXPECT_EQ(header(sent, "Location"),
            "http://" + a.node().member().options().address + "/v1/models/m/decide");
  const auto passed =
      b.ask("POST", "/v1/models/m/decide", "{}", false, true);  // one hop, and no more
  EXPECT_EQ(passed.status, 503);
  EXPECT_EQ(header(passed, "Rein-Not-Owner"), "b");
}

TEST_F(NodeTest, AModelMovesByHandAndGoesOnWhenItsNodeEnds) {
  std::optional<Served> a(std::in_place, log_, "a");
  Served b(log_, "b");
  EXPECT_EQ(a->ask("PUT", "/v1/models/m", kNodeDocument).status, 201);
  const std::string id = text(a->ask("POST", "/v1/models/m/decide", R"({"request_id":"1"})"), "id");
  for (const std::string to : {"b", "a"}) {
    const auto told = b.ask("POST", "/v1/models/m/move", R"({"to":")" + to + "\"}");
    ASSERT_EQ(told.status, 200) << told.body;
    const auto there = ask_until(
        b, "POST", "/v1/models/m/decide", R"({"request_id":"1"})", [&](const auto& answer) {
          return answer.status == 200 && header(answer, "Rein-Owner") == to;
        });
    EXPECT_EQ(text(there, "id"), id);
  }
  EXPECT_EQ(a->ask("POST", "/v1/models/m/move", R"({"to":"c"})").status, 400);
  EXPECT_EQ(a->ask("POST", "/v1/models/none/move", R"({"to":"a"})").status, 404);
  EXPECT_EQ(a->ask("GET", "/v1/models/m/move").status, 405);
  a.reset();
  const auto after =
      ask_until(b, "POST", "/v1/models/m/outcome", R"({"id":")" + id + R"(","costs":0.5})", good);
  EXPECT_EQ(after.status, 200) << after.body;
  EXPECT_EQ(header(after, "Rein-Owner"), "b");
}

TEST_F(NodeTest, TheClusterAndItsMetricsNameOwners) {
  Served a(log_, "a"), b(log_, "b");
  for (const std::string name : {"m", "n"})
    EXPECT_EQ(a.ask("PUT", "/v1/models/" + name, kNodeDocument).status, 201);
  const auto view = ask_until(a, "GET", "/v1/cluster", "", [](const auto& answer) {
    return answer.body.find(R"("owner":"a")") != std::string::npos &&
           answer.body.find(R"("owner":"b")") != std::string::npos;
  });
  EXPECT_NE(view.body.find(R"("owner":"b")"), std::string::npos) << view.body;  // they are spread
  const auto list = ask_until(a, "GET", "/v1/models", "", [](const auto& answer) {
    return answer.body.find(R"("status":"elsewhere","owner":"b")") != std::string::npos;
  });
  EXPECT_NE(list.body.find(R"("status":"elsewhere","owner":"b")"), std::string::npos) << list.body;
  const std::string metrics = a.ask("GET", "/metrics").body;
  for (const char* line :
       {"rein_cluster_heard{node=\"a\"} 1", "rein_cluster_nodes 2", ",node=\"b\"} 1"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line;
  }
}

TEST_F(NodeTest, ANameOfANodeIsChecked) {
  EXPECT_EQ(Node::open(log_, {.node = "a b", .address = "127.0.0.1:1"}).reason(), Reason::kInvalid);
}

}  // namespace
}  // namespace rein::cluster
