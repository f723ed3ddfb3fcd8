// Backups of models that are served, later backups into the same folder, and models that are restored.
#include "tools/backup.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "journal/damage_cases.h"
#include "serve/backup_door.h"
#include "serve/service_folder.h"
#include "tools/journal_check.h"
#include "tools/recover.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

constexpr const char* kBackupPath = "/v1/models/m";

class BackupTest : public testing::Test {
 protected:
  static void make(ServiceOnDisk& service) {
    ASSERT_EQ(service
                  .ask("PUT", kBackupPath,
                       R"({"actions":["small","large"],"context":1,"costs":{"dollars":[0,1]},"reward":[0,1],"seed":3,
                           "budgets":[{"name":"day","cost":"dollars","amount":500,"per":"day"}]})")
                  .status,
              201);
  }
  // The answer's id.
  static std::string decide(ServiceOnDisk& service) {
    const HttpResponse made = service.ask("POST", std::string(kBackupPath) + "/decide", R"({"context":[0.5]})");
    EXPECT_EQ(made.status, 200) << made.body;
    return made.body.substr(made.body.find("\"id\":\"") + 6, 16);
  }
  static int outcome(ServiceOnDisk& service, const std::string& id) {
    return service
        .ask("POST", std::string(kBackupPath) + "/outcome", fmt::format(R"({{"id":"{}","reward":1,"costs":0.25}})", id))
        .status;
  }
  void restore_beside(const Files& backup) {
    const auto restored = restore_backup({"m", to_}, {data_, "m"});
    ASSERT_TRUE(restored) << restored.error();
    EXPECT_EQ(files_in(to_).at("journal"), backup.at("journal")) << "the backup is not changed";
    EXPECT_FALSE(restore_backup({"m", to_}, {data_, "m"})) << "there is a model now";
    EXPECT_TRUE(restore_backup({"m", to_}, {folder_.at("elsewhere"), "m"})) << "in a new data folder";
    struct stat about {};
    ASSERT_EQ(::stat(model_.path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0700U);
  }
  static std::uint64_t hash_of_backup(const std::string& folder) {
    return fold_journal(*open_journal_of({"m", folder}).value(), {}).value().hash();
  }

  Folder folder_{"backup", true};
  std::string data_ = folder_.at("data");
  std::string to_ = folder_.at("backups/m");
  ModelFolder model_{"m", data_ + "/m"};
};

TEST_F(BackupTest, OfAModelThatIsServedHasWhatWasAnswered) {
  testing::internal::CaptureStderr();
  ServiceOnDisk service(data_);
  make(service);
  for (int i = 0; i < 30; ++i) ASSERT_EQ(outcome(service, decide(service)), 200);
  const BackedUp first = back_up(model_, to_).value();
  EXPECT_EQ(first.first, 1);
  EXPECT_EQ(first.added, first.last);
  EXPECT_EQ(hash_of_backup(to_), service.hash("m"));
  // A later one adds what came since, and one without news nothing.
  for (int i = 0; i < 500; ++i) ASSERT_EQ(outcome(service, decide(service)), 200);
  const BackedUp second = back_up(model_, to_).value();
  EXPECT_EQ(second.added, second.last - first.last);
  EXPECT_GE(second.added, 1000);
  EXPECT_EQ(hash_of_backup(to_), service.hash("m"));
  EXPECT_EQ(back_up(model_, to_).value().added, 0);
  testing::internal::GetCapturedStderr();
}

// Whatever is decided meanwhile, a backup is a state that the model had, and it goes on after it.
TEST_F(BackupTest, IsConsistentWhileRequestsAreAnswered) {
  testing::internal::CaptureStderr();
  ServiceOnDisk service(data_);
  make(service);
  std::atomic<bool> ends = false;
  std::atomic<std::int64_t> answered = 0;
  std::thread callers([&] {
    while (!ends) {
      outcome(service, decide(service));
      ++answered;
    }
  });
  for (int i = 0; i < 10; ++i) {
    const std::int64_t before = answered;
    back_up(model_, to_).value();
    const auto state = fold_journal(*open_journal_of({"m", to_}).value(), {});
    ASSERT_TRUE(state) << state.error();
    ASSERT_GE(state.value().engine.state().learned, before);
    while (answered < before + 20) std::this_thread::yield();
  }
  ends = true;
  callers.join();
  testing::internal::GetCapturedStderr();
}

TEST_F(BackupTest, OfAStoppedServiceIsReadFromItsFilesWithItsSnapshot) {
  testing::internal::CaptureStderr();
  std::uint64_t hash = 0;
  {
    ServiceOnDisk service(data_);
    make(service);
    for (int i = 0; i < 10; ++i) decide(service);
  }
  {
    ServiceOnDisk service(data_);
    hash = service.hash("m");
  }
  const BackedUp done = back_up(model_, to_).value();
  EXPECT_EQ(hash_of_backup(to_), hash);
  const auto positions = SnapshotFiles(to_).positions().value();
  ASSERT_FALSE(positions.empty());
  EXPECT_LE(positions[0], done.last);
  EXPECT_TRUE(remains_of({"m", to_}).value().damage.empty());
  testing::internal::GetCapturedStderr();
}

TEST_F(BackupTest, IsRestoredBesideTheModelsThatAreServedWithIdsThatNoneHad) {
  testing::internal::CaptureStderr();
  std::vector<std::string> ids;
  std::string lost;
  {
    ServiceOnDisk service(data_);
    make(service);
    for (int i = 0; i < 10; ++i) ids.push_back(decide(service));
    back_up(model_, to_).value();
    lost = decide(service);
  }
  std::filesystem::remove_all(model_.path);
  const Files before = files_in(to_);
  {
    ServiceOnDisk running(data_);
    restore_beside(before);
  }
  ServiceOnDisk service(data_);
  ASSERT_EQ(service.stopped("m"), "");
  for (const std::string& id : ids) EXPECT_EQ(outcome(service, id), 200);
  EXPECT_EQ(outcome(service, lost), 404);
  for (int i = 0; i < 40; ++i) EXPECT_NE(decide(service), lost);
  testing::internal::GetCapturedStderr();
}

TEST_F(BackupTest, OfAnotherHistoryIsRefusedAndNothingIsChanged) {
  testing::internal::CaptureStderr();
  {
    ServiceOnDisk service(data_);
    make(service);
    decide(service);
    back_up(model_, to_).value();
  }
  std::filesystem::remove_all(model_.path);
  ServiceOnDisk service(data_);
  make(service);
  for (int i = 0; i < 10; ++i) decide(service);
  const Files before = files_in(to_);
  const auto refused = back_up(model_, to_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason(), Reason::kConflict);
  EXPECT_THAT(refused.error(), HasSubstr("its entries up to"));
  EXPECT_EQ(files_in(to_).at("journal"), before.at("journal"));
  testing::internal::GetCapturedStderr();
}

// What is left of a damaged journal begins after a snapshot, and so does its backup.
TEST_F(BackupTest, OfAJournalThatBeginsAfterASnapshotBeginsThereToo) {
  testing::internal::CaptureStderr();
  {
    ServiceOnDisk service(data_);
    make(service);
    for (int i = 0; i < 10; ++i) decide(service);
  }
  for (const char* name : {"journal", "journal-wal"}) std::filesystem::remove(model_.path + "/" + name);
  accept_loss(model_, remains_of(model_).value()).value();
  ServiceOnDisk service(data_);
  for (int i = 0; i < 10; ++i) decide(service);
  const BackedUp done = back_up(model_, to_).value();
  EXPECT_GT(done.first, 1);
  EXPECT_TRUE(remains_of({"m", to_}).value().damage.empty());
  const auto again = restore_backup({"m", to_}, {folder_.at("other"), "m"});
  ASSERT_TRUE(again) << again.error();
  ServiceOnDisk restored(folder_.at("other"));
  EXPECT_EQ(restored.stopped("m"), "");
  EXPECT_NE(restored.hash("m"), 0U);
  testing::internal::GetCapturedStderr();
}

TEST_F(BackupTest, IsNotPutIntoTheDataFolder) {
  const ModelFolder model{"m", "rein_here/data/m"};
  for (const char* place : {"", "rein_here/data", "rein_here/data/", "rein_here/data/m", "rein_here/data/m/old",
                            "rein_here/../rein_here/data/sub"}) {
    EXPECT_FALSE(check_backup_place(model, place)) << place;
  }
  for (const char* place : {"rein_here", "rein_here/backup", "rein_here/data2", "/backup"}) {
    EXPECT_TRUE(check_backup_place(model, place)) << place;
  }
}

TEST_F(BackupTest, TheDoorAnswersOnlyQuestionsAndItsOwnUser) {
  testing::internal::CaptureStderr();
  ServiceOnDisk service(data_);
  make(service);
  const auto asked = [&](const std::string& question) {
    const int door = connect_to_door(data_);
    EXPECT_GE(door, 0);
    EXPECT_EQ(::write(door, question.data(), question.size()), static_cast<ssize_t>(question.size()));
    ::shutdown(door, SHUT_WR);
    std::string answer(1 << 16, '\0');
    std::size_t size = 0;
    for (ssize_t n = 0; (n = ::read(door, answer.data() + size, answer.size() - size)) > 0;) {
      size += static_cast<std::size_t>(n);
    }
    ::close(door);
    return answer.substr(0, size);
  };
  for (const char* question : {"", "\n", "m\n", "m x\n", "m 0\n", "m -1\n", "m 1 2\n", "m 99999999999999999999\n"}) {
    EXPECT_THAT(asked(question), HasSubstr("refused found another question")) << question;
  }
  EXPECT_THAT(asked(std::string(100'000, 'x')), HasSubstr("refused"));
  EXPECT_THAT(asked("none 1\n"), HasSubstr("refused there is no such model"));
  EXPECT_THAT(asked("m 1000\n"), HasSubstr("refused the journal ends at entry"));
  EXPECT_THAT(asked("m 1\n"), HasSubstr("entries "));
  // Somebody else, where the test may be that: a child that gives up its rights.
  if (::geteuid() == 0) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setuid(65534) != 0) ::_exit(3);
      const int door = connect_to_door(data_);
      std::array<char, 64> answer{};
      const ssize_t n = door < 0 ? 0 : ::read(door, answer.data(), answer.size());
      ::_exit(n > 0 && std::string_view(answer.data(), static_cast<std::size_t>(n)).starts_with("refused you are") ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  // A caller that says nothing does not hold up the end of the service.
  const int silent = connect_to_door(data_);
  EXPECT_GE(silent, 0);
  testing::internal::GetCapturedStderr();
  ::close(silent);
}

}  // namespace
}  // namespace rein::serve
