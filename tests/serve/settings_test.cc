#include "serve/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace rein::serve {
namespace {

using testing::HasSubstr;

Result<ServiceSettings> read(std::string_view toml,
                             const std::map<std::string, std::string>& set = {}) {
  return read_settings(toml, [&](const char* name) -> std::optional<std::string> {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(Settings, OfAnEmptyFileAreTheDefaults) {
  const ServiceSettings settings = read("").value();
  EXPECT_EQ(settings.http.address, "127.0.0.1");
  EXPECT_EQ(settings.http.port, 8080);
  EXPECT_EQ(settings.service.data, "rein-data");
  EXPECT_TRUE(settings.models.empty());
}

TEST(Settings, OfTelemetryAreInASectionOfTheirOwn) {
  EXPECT_EQ(read("").value().telemetry.otlp, "");
  const char* toml = "[telemetry]\notlp = \"http://127.0.0.1:4318\"\nsample = 0.1\n";
  const ServiceSettings settings = read(toml).value();
  EXPECT_EQ(settings.telemetry.otlp, "http://127.0.0.1:4318");
  EXPECT_EQ(settings.telemetry.sample, 0.1);
  const ServiceSettings other = read(toml, {{"REIN_OTLP", "http://c:1"}, {"REIN_OTLP_SAMPLE", "0.5"}}).value();
  EXPECT_EQ(other.telemetry.otlp, "http://c:1");
  EXPECT_EQ(other.telemetry.sample, 0.5);
}

TEST(Settings, ReadEveryKey) {
  const ServiceSettings settings = read(R"(
[service]
address = "0.0.0.0"
port = 9090
token = "secret"
hosts = ["rein.example.com"]
data = "/var/lib/rein"
log = "requests"
strict = true
most_body_bytes = 4096
most_connections = 100
most_memory_bytes = 33554432
most_streams = 7
most_waiting = 50
most_models = 7
request_seconds = 2.5
idle_seconds = 30
threads = 2
snapshot_every = 1000
keep = "30 days"
clock_jump_seconds = 600
[models.routing]
actions = ["small", "large"]
context = 2
)")
                                       .value();
  EXPECT_EQ(settings.http.address, "0.0.0.0");
  EXPECT_EQ(settings.http.port, 9090);
  EXPECT_EQ(settings.http.token, "secret");
  EXPECT_EQ(settings.http.hosts, std::vector<std::string>{"rein.example.com"});
  EXPECT_EQ(settings.service.data, "/var/lib/rein");
  EXPECT_TRUE(settings.service.log_requests);
  EXPECT_TRUE(settings.service.strict);
  EXPECT_EQ(settings.http.most_body_bytes, 4096);
  EXPECT_EQ(settings.http.most_connections, 100);
  EXPECT_EQ(settings.http.most_memory_bytes, 32 << 20);
  EXPECT_EQ(settings.http.most_streams, 7);
  EXPECT_EQ(settings.service.most_waiting, 50U);
  EXPECT_EQ(settings.service.most_models, 7);
  EXPECT_EQ(settings.http.request_seconds, 2.5);
  EXPECT_EQ(settings.http.idle_seconds, 30.0);
  EXPECT_EQ(settings.http.threads, 2);
  EXPECT_EQ(settings.service.snapshot_every, 1000);
  EXPECT_EQ(settings.service.keep_seconds, 30 * 86'400);
  EXPECT_EQ(settings.service.clock_jump_seconds, 600);
  ASSERT_EQ(settings.models.size(), 1U);
  EXPECT_EQ(settings.models[0].first, "routing");
  EXPECT_EQ(settings.models[0].second, R"({"actions":["small","large"],"context":2})");
}

TEST(Settings, MayHaveAnyTextInQuotesAndComments) {
  const auto settings = read(
      "\xef\xbb\xbf# caf\xc3\xa9\n[service] # \xc3\xa9\ndata = '\xc3\xa9 \"'\n"
      "token = \"a\\\"\xc3\xa9\"\naddress = \"\"\"\xc3\xa9\n\"x\xc3\xa9\"\"\"\n");
  ASSERT_TRUE(settings) << settings.error();
  EXPECT_EQ(settings.value().service.data, "\xc3\xa9 \"");
  EXPECT_EQ(settings.value().http.token, "a\"\xc3\xa9");
  EXPECT_EQ(settings.value().http.address, "\xc3\xa9\n\"x\xc3\xa9");
}

TEST(Settings, OfTheEnvironmentComeFirst) {
  const std::map<std::string, std::string> set = {{"REIN_PORT", "1234"},
                                                  {"REIN_TOKEN", "0042"},
                                                  {"REIN_HOSTS", "a.example,b.example"},
                                                  {"REIN_LOG", "changes"},
                                                  {"REIN_REQUEST_SECONDS", "2.5"},
                                                  {"REIN_DATA", "7"}};
  const ServiceSettings settings =
      read("[service]\nport = 9090\nlog = \"requests\"\ndata = \"d\"\n", set).value();
  EXPECT_EQ(settings.http.port, 1234);
  EXPECT_EQ(settings.http.token, "0042") << "digits are a text here";
  EXPECT_EQ(settings.http.hosts, (std::vector<std::string>{"a.example", "b.example"}));
  EXPECT_FALSE(settings.service.log_requests);
  EXPECT_EQ(settings.http.request_seconds, 2.5);
  EXPECT_EQ(settings.service.data, "7");
}

TEST(Settings, NameTheReceiversOfNotices) {
  const auto read_with = [](const char* toml) {
    return read_settings(toml, [](const char* name) -> std::optional<std::string> {
      if (std::string(name) == "OPS_SECRET") return "0123456789abcdef";
      return std::nullopt;
    });
  };
  const auto settings = read_with(
      "[[webhook]]\nname = \"ops\"\nurl = \"http://[::1]:9000/a/b?c=d\"\nsecret_env = \"OPS_SECRET\"\n"
      "on = [\"paused\"]\n[[webhook]]\nurl = \"http://host\"\nsecret = \"0123456789abcdefg\"\n");
  ASSERT_TRUE(settings) << settings.error();
  const auto& hooks = settings.value().service.webhooks;
  ASSERT_EQ(hooks.size(), 2U);
  EXPECT_EQ(hooks[0].name + " " + hooks[0].address + " " + hooks[0].target, "ops [::1]:9000 /a/b?c=d");
  EXPECT_EQ(hooks[0].secret, "0123456789abcdef");
  EXPECT_EQ(hooks[0].on, std::vector<std::string>{"paused"});
  EXPECT_EQ(hooks[1].name + " " + hooks[1].address + " " + hooks[1].target, "webhook host:80 /");
}

struct Wrong {
  const char* toml;
  const char* message;
};
TEST(Settings, ThatAreWrongSayWhereAndWhatIsAccepted) {
  const Wrong wrong[] = {
      {"[service", "line 1, column"},
      {"[service]\nport = 1\nport = 2\n", "line 3"},
      {"[service]\nport = \xc3\xa9\n", "line 2: found a character that is not ASCII"},
      {"# \xc3\xa9\n[service]\n\xc3\xa9 = 1\n", "line 3: found a character that is not ASCII"},
      {"port = 8080\n", "port, line 1: not expected; accepted: [service], [telemetry], [models.NAME] and [[webhook]]"},
      {"[telemetry]\nurl = 1\n", "telemetry.url, line 2: not expected; accepted: otlp, sample"},
      {"[telemetry]\notlp = \"collector:4318\"\n", "telemetry.otlp, line 2: found \"collector:4318\"; accepted: http://"},
      {"[telemetry]\nsample = 2\n", "telemetry.sample, line 2: found 2; accepted: 0 to 1"},
      {"[server]\n", "server, line 1: not expected"},
      {"service = 3\n", "service, line 1: not expected"},
      {"[service]\n\nprot = 8080\n", "service.prot, line 3: not expected; accepted: address, port"},
      {"[service]\nport = \"8080\"\n",
       "service.port, line 2: found \"8080\"; accepted: 0 to 65535"},
      {"[service]\nport = 70000\n", "service.port, line 2: found 70000; accepted: 0 to 65535"},
      {"[service]\nport = 80.5\n", "found 80.5; accepted: 0 to 65535"},
      {"[service]\naddress = 7\n", "service.address, line 2: found 7; accepted: a text"},
      {"[service]\nhosts = [7]\n", "found 7; accepted: texts"},
      {"[service]\nhosts = 7\n", "found 7; accepted: a list"},
      {"[service]\nlog = \"all\"\n", "found \"all\"; accepted: \"changes\" or \"requests\""},
      {"[service]\nrequest_seconds = 0\n", "found 0; accepted: seconds, above 0 to 86400"},
      {"[service]\nidle_seconds = \"1\"\n", "accepted: seconds"},
      {"[service]\nmost_body_bytes = 10\n", "found 10; accepted: 1024 to 67108864"},
      {"[service]\nthreads = 0\n", "found 0; accepted: 1 to 64"},
      {"[service]\ndata = 2026-01-01\n",
       "service.data: found a date or a number that is not finite, line 2"},
      {"[service]\nrequest_seconds = inf\n", "not finite, line 2"},
      {"[[webhook]]\nurl = \"https://h/x\"\n", "webhook[0].url: found https; accepted: http://HOST:PORT/PATH"},
      {"[[webhook]]\nurl = \"http://h:9/x\"\n", "webhook[0].secret: found 0 bytes; accepted: at least 16"},
      {"[webhook]\nurl = \"http://h:9/x\"\n", "webhook, line 1: not expected"},
      {"[models]\nrouting = 3\n", "models.routing, line 2: accepted: a table"},
      {"[models.\".hidden\"]\nactions = 2\n", "models..hidden, line 1: accepted"},
      {"[models.a]\n", "models.a: actions: not found"},
      {"[models.a]\nactions = 2\npolicy = \"none\"\n", "models.a: policy spec: unknown name"},
      {"[models.a]\nactions = 2\nactoins = 3\n", "models.a: actoins: not expected"},
      {"[models.a]\nactions = 2\ncosts = [\"d\"]\n[[models.a.budgets]]\nname = \"x\"\n",
       "models.a: budgets[0].cost: not found"},
  };
  for (const Wrong& each : wrong) {
    const auto settings = read(each.toml);
    ASSERT_FALSE(settings) << each.toml;
    EXPECT_THAT(settings.error(), testing::StartsWith("settings: ")) << each.toml;
    EXPECT_THAT(settings.error(), HasSubstr(each.message)) << each.toml;
  }
}

TEST(Settings, OfTheEnvironmentThatAreWrongNameTheVariable) {
  const std::map<std::string, std::string> wrong[] = {
      {{"REIN_PORT", "http"}},  {{"REIN_PORT", ""}},   {{"REIN_PORT", "80 "}},
      {{"REIN_THREADS", "-1"}}, {{"REIN_LOG", "yes"}}, {{"REIN_STRICT", "yes"}}, {{"REIN_REQUEST_SECONDS", "soon"}}};
  for (const auto& set : wrong) {
    const auto settings = read("", set);
    ASSERT_FALSE(settings) << set.begin()->first << "=" << set.begin()->second;
    EXPECT_THAT(settings.error(), HasSubstr("variable " + set.begin()->first + ": found"));
  }
}

}  // namespace
}  // namespace rein::serve
