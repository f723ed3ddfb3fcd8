// Limits on answers: known before the work, so that a refused request has changed nothing.
#include "serve/answer_size.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asking.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

// Answers up to here have memory.
class RoomReply : public WaitingReply {
 public:
  explicit RoomReply(std::size_t room) : room_(room) {}
  bool make_room(std::size_t bytes) override {
    asked_ = std::max(asked_, bytes);
    return bytes <= room_;
  }
  std::size_t asked() const { return asked_; }

 private:
  std::size_t room_;
  std::size_t asked_ = 0;
};

std::string batch_of(int rounds, const std::string& round) {
  std::string body = "{\"rounds\":[";
  for (int i = 0; i < rounds; ++i) body += (i == 0 ? "" : ",") + round;
  return body + "]}";
}

std::int64_t decided(Asking& asking) {
  return std::get<std::int64_t>(member(asking.get("GET", "/v1/models/m/state"), "decided").is);
}

TEST(AnswerSize, ABatchWhoseAnswerIsTooLargeChangesNothing) {
  Asking asking;
  asking.get("PUT", "/v1/models/m", R"({"actions":20000,"seed":1})");
  const std::string before = asking.hashes();
  const HttpResponse got = asking.ask("POST", "/v1/models/m/decide", batch_of(100, "{}"));
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(text_in(member(read_json(got.body), "error"), "field"), "rounds");
  EXPECT_THAT(got.body, HasSubstr("found 100 rounds, whose answers have about"));
  EXPECT_THAT(got.body, HasSubstr("accepted: 8 MiB together, about 12 such rounds"));
  EXPECT_EQ(asking.hashes(), before);
  const HttpResponse fewer = asking.ask("POST", "/v1/models/m/decide", batch_of(12, "{}"));
  EXPECT_EQ(fewer.status, 200);
  EXPECT_LE(fewer.body.size(), kMostAnswerBytes);
  EXPECT_EQ(decided(asking), 12);
}

TEST(AnswerSize, RoundsThatOfferFewActionsHaveSmallAnswers) {
  Asking asking;
  asking.get("PUT", "/v1/models/m", R"({"actions":20000,"seed":1})");
  const HttpResponse got =
      asking.ask("POST", "/v1/models/m/decide", batch_of(1000, R"({"actions":[1,2,3]})"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(decided(asking), 1000);
}

TEST(AnswerSize, IsAnUpperBoundOfTheAnswersItself) {
  Asking asking;
  std::string names;
  for (int i = 0; i < 3000; ++i)
    names += fmt::format("{}\"action number {}\"", i == 0 ? "" : ",", i);
  asking.get("PUT", "/v1/models/m",
             fmt::format(R"({{"actions":[{}],"context":2,"seed":1}})", names));
  auto reply = std::make_shared<RoomReply>(kMostAnswerBytes);
  asking.service().handle({.method = "POST",
                           .path = "/v1/models/m/decide",
                           .body = batch_of(20, R"({"context":[0.1,0.7]})")},
                          reply);
  const HttpResponse got = reply->wait();
  EXPECT_EQ(got.status, 200);
  EXPECT_GE(reply->asked(), got.body.size());
  EXPECT_LE(reply->asked(), 3 * got.body.size());
}

TEST(AnswerSize, WithoutMemoryForItNothingIsDecided) {
  Asking asking;
  asking.get("PUT", "/v1/models/m", R"({"actions":20000,"seed":1})");
  const std::string before = asking.hashes();
  for (const std::string& body : {batch_of(5, "{}"), std::string("{}")}) {
    auto reply = std::make_shared<RoomReply>(100'000);
    asking.service().handle({.method = "POST", .path = "/v1/models/m/decide", .body = body}, reply);
    const HttpResponse got = reply->wait();
    EXPECT_EQ(got.status, 503);
    EXPECT_THAT(got.body, HasSubstr("\"code\":\"busy\""));
    EXPECT_THAT(got.body, HasSubstr("\"retry_after\":1"));
  }
  EXPECT_EQ(asking.hashes(), before);
}

TEST(AnswerSize, AnExplanationHasALimitToo) {
  Asking asking;
  asking.get("PUT", "/v1/models/m",
             R"j({"actions":2000,"context":60,"seed":1,"policy":"ccb(oracle=vaw)"})j");
  std::string context = "[0";
  for (int i = 1; i < 60; ++i) context += ",0.5";
  const Json made = asking.get("POST", "/v1/models/m/decide", "{\"context\":" + context + "]}");
  const HttpResponse got = asking.ask("GET", "/v1/models/m/explain/" + text_in(made, "id"));
  EXPECT_EQ(got.status, 400);
  EXPECT_THAT(got.body, HasSubstr("accepted: 8 MiB"));
  const Json few =
      asking.get("POST", "/v1/models/m/decide", R"({"actions":[1,2],"context":)" + context + "]}");
  EXPECT_EQ(asking.ask("GET", "/v1/models/m/explain/" + text_in(few, "id")).status, 200);
}

}  // namespace
}  // namespace rein::serve
