// The time with which a new model begins, while the wall clock is wrong.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "http/waiting_reply.h"
#include "journal/folder_model.h"
#include "serve/service.h"

namespace rein::serve {
namespace {

constexpr std::int64_t kMade = 1'800'000'000, kTenYears = std::int64_t{3650} * 86'400;

class ServiceClockTest : public testing::Test {
 protected:
  ServiceClockTest() { start(); }
  void start() {
    service_.reset();
    ServiceOptions options;
    options.data = folder_.path();
    options.wall = [this] { return wall_.load(); };
    options.steady = [this] { return steady_.load(); };
    service_ = Service::open(options).value();
    service_->recover().check();
  }
  int ask(const std::string& method, const std::string& path, std::string body = "{}") {
    auto reply = std::make_shared<WaitingReply>();
    service_->handle({.method = method, .path = "/v1/models/" + path, .body = std::move(body)}, reply);
    return reply->wait().status;
  }
  // Makes a model and says what its time is.
  std::int64_t made(const std::string& name) {
    EXPECT_EQ(ask("PUT", name, R"({"actions":2})"), 201);
    return now(name);
  }
  std::int64_t now(const std::string& name) {
    EXPECT_EQ(ask("POST", name + "/decide"), 200);
    std::promise<std::int64_t> time;
    service_->read(name, [&](Model& model) { time.set_value(model.engine().state().now); });
    return time.get_future().get();
  }
  void pass(std::int64_t seconds) {
    wall_ += seconds;
    steady_ += seconds;
  }

  Folder folder_{"service_clock"};
  std::atomic<std::int64_t> wall_ = kMade, steady_ = 50;
  std::unique_ptr<Service> service_;
};

TEST_F(ServiceClockTest, TheFirstModelHasTheTimeOfTheWallClock) {
  EXPECT_EQ(made("a"), kMade);
}

TEST_F(ServiceClockTest, AModelThatIsMadeDuringAJumpHasTheTimeOfTheOthers) {
  made("a");
  pass(60);
  wall_ += kTenYears;
  EXPECT_EQ(made("b"), kMade + 60);
  pass(60);
  wall_ -= kTenYears;
  EXPECT_EQ(now("b"), kMade + 120) << "the clock was mended";
}

TEST_F(ServiceClockTest, AfterARestartItIsTheTimeAtWhichTheJournalsEnd) {
  made("a");
  wall_ += kTenYears;
  start();
  EXPECT_EQ(made("b"), kMade);
}

TEST_F(ServiceClockTest, WhoSaysThatTheClockIsRightSaysItForNewModelsToo) {
  made("a");
  wall_ += kTenYears;
  EXPECT_EQ(ask("PATCH", "a", R"({"clock":"now"})"), 200);
  EXPECT_EQ(made("b"), kMade + kTenYears);
}

}  // namespace
}  // namespace rein::serve
