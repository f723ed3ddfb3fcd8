// A service whose old entries move to an archive while it serves: who reads journal and archive finds what
// was there before, and so do callers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "http/waiting_reply.h"
#include "journal/archived_journal.h"
#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"
#include "serve/keep.h"
#include "serve/service.h"
#include "tools/backup.h"
#include "tools/export.h"
#include "tools/journal_check.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

constexpr const char* kRetentionPath = "/v1/models/m";
constexpr const char* kRetentionDocument =
    R"({{"actions":["small","large"],"context":1,"costs":{{"dollars":[0,1]}},"reward":[0,1]{},
        "budgets":[{{"name":"day","cost":"dollars","amount":500,"per":"day"}}]}})";

class RetentionTest : public testing::Test {
 protected:
  void start(std::int64_t keep_seconds) {
    ServiceOptions options;
    options.data = data_;
    options.keep_seconds = keep_seconds;
    options.snapshot_every = 100;
    options.wall = options.steady = [this] { return now_.load(); };
    service_ = Service::open(options).value();
    service_->recover().check();
  }
  HttpResponse ask(const std::string& method, const std::string& rest, std::string body = {}) {
    auto reply = std::make_shared<WaitingReply>();
    service_->handle({.method = method, .path = kRetentionPath + rest, .body = std::move(body)}, reply);
    return reply->wait();
  }
  void put(const std::string& keep) {
    const HttpResponse made = ask("PUT", "", fmt::format(fmt::runtime(kRetentionDocument), keep));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  HttpResponse round(int i) {
    HttpResponse made =
        ask("POST", "/decide", fmt::format(R"({{"context":[0.{}],"request_id":"r{}"}})", 1 + i % 9, i));
    EXPECT_EQ(made.status, 200) << made.body;
    const std::string id = made.body.substr(made.body.find("\"id\":\"") + 6, 16);
    EXPECT_EQ(ask("POST", "/outcome", fmt::format(R"({{"id":"{}","reward":1,"costs":0.25}})", id)).status, 200);
    ++now_;
    return made;
  }
  std::int64_t metric(const std::string& name) {
    const std::string line = fmt::format("\n{}{{model=\"m\"}} ", name);
    auto reply = std::make_shared<WaitingReply>();
    service_->handle({.method = "GET", .path = "/metrics", .body = {}}, reply);
    const std::string text = reply->wait().body;
    const std::size_t at = text.find(line);
    EXPECT_NE(at, std::string::npos) << name;
    return at == std::string::npos ? -1 : std::stoll(text.substr(at + line.size()));
  }
  // Until enough entries were archived, which happens beside the work.
  void work_until_archived(std::int64_t entries) {
    for (int i = 0; i < 5000 && !HasFailure() && metric("rein_archive_entries") < entries; ++i) {
      if (rounds_ < 1000) answers_.push_back(round(rounds_++));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      now_ += 10;
    }
    ASSERT_GE(metric("rein_archive_entries"), entries);
  }
  static std::string exported(const ModelFolder& folder) {
    std::string text;
    const auto journal = open_journal_of(folder);
    EXPECT_TRUE(journal.ok()) << journal.error();
    const auto done = export_journal(*journal.value(), ExportFormat::kJsonl, [&](std::string_view part) {
      text += part;
      return Result<>();
    });
    EXPECT_TRUE(done.ok()) << done.error();
    return text;
  }

  Folder folder_{"retention"};
  std::string data_ = folder_.at("data");
  std::atomic<std::int64_t> now_ = 1'800'000'000;
  std::unique_ptr<Service> service_;
  int rounds_ = 0;
  std::vector<HttpResponse> answers_;
};

TEST_F(RetentionTest, ToolsAndCallersFindWhatWasArchived) {
  start(60);
  put("");
  work_until_archived(300);
  EXPECT_GT(metric("rein_journal_first_entry"), 300);
  EXPECT_GT(metric("rein_archive_bytes"), 1000);
  EXPECT_EQ(metric("rein_archive_failures_total"), 0);
  // The first request comes again: its answer is in the archive by now.
  const HttpResponse again = ask("POST", "/decide", R"({"context":[0.1],"request_id":"r0"})");
  EXPECT_EQ(again.body, answers_[0].body);
  const std::string backup = folder_.at("backup");
  const auto backed_up = back_up({"m", data_ + "/m"}, backup);
  ASSERT_TRUE(backed_up.ok()) << backed_up.error();
  EXPECT_EQ(backed_up.value().first, 1);
  service_.reset();

  const ModelFolder served{"m", data_ + "/m"}, copied{"m", backup};
  ASSERT_GT(open_for_reading(served.path + "/journal").value()->first(), 300);
  EXPECT_EQ(open_for_reading(copied.path + "/journal").value()->first(), 1);
  EXPECT_EQ(exported(served), exported(copied));
  const auto check = check_journal(served);
  ASSERT_TRUE(check.ok()) << check.error();
  EXPECT_TRUE(check.value().damage.empty()) << check.value().damage[0];
  EXPECT_EQ(check.value().entries, open_journal_of(served).value()->last());

  // Without its snapshots it comes back from the first entry on.
  for (const auto& entry : std::filesystem::directory_iterator(served.path)) {
    if (entry.path().filename().string().starts_with("snapshot-")) put_bytes(entry.path(), "damaged");
  }
  start(60);
  EXPECT_EQ(ask("GET", "/state").status, 200);
  EXPECT_EQ(ask("POST", "/decide", R"({"context":[0.1],"request_id":"r0"})").body, answers_[0].body);
}

TEST_F(RetentionTest, ADocumentSaysHowLongEntriesAreKept) {
  start(0);
  put(R"(,"keep":"1 minute")");
  work_until_archived(100);
  service_.reset();
  start(0);  // the document is in the journal
  const std::int64_t before = metric("rein_archive_entries");
  work_until_archived(before + 100);
}

TEST_F(RetentionTest, KeepChangesWhileTheModelRuns) {
  start(60);
  put(R"(,"keep":"forever")");
  for (int i = 0; i < 300; ++i) round(rounds_++);
  EXPECT_EQ(metric("rein_archive_entries"), 0);
  EXPECT_FALSE(std::filesystem::exists(data_ + "/m/archive"));
  const std::string document = fmt::format(fmt::runtime(kRetentionDocument), R"(,"keep":"60 seconds")");
  const HttpResponse applied = ask("POST", "/apply", fmt::format(R"({{"document":{}}})", document));
  EXPECT_EQ(applied.status, 200) << applied.body;
  work_until_archived(100);
}

TEST_F(RetentionTest, OtherTextsAreRefused) {
  EXPECT_EQ(keep_in_seconds("30 days"), 30 * 86'400);
  EXPECT_EQ(keep_in_seconds("1 hour"), 3600);
  EXPECT_EQ(keep_in_seconds("forever"), 0);
  for (const char* text : {"", "30", "0 days", "-1 days", "30days", "30 weeks", "1.5 hours", "30 days ",
                           "2000000 days"}) {
    EXPECT_FALSE(keep_in_seconds(text)) << text;
  }
  start(0);
  const HttpResponse refused = ask("PUT", "", fmt::format(fmt::runtime(kRetentionDocument), R"(,"keep":"a while")"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("30 days"));
}

}  // namespace
}  // namespace rein::serve
