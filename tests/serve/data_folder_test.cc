// The data folder of a service: whose it is, which names models may have, and what is missing in it.
#include "serve/data_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "journal/folder_model.h"
#include "service_folder.h"

namespace rein::serve {
namespace {
namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kFolderModel = R"({"actions":["small","large"],"context":1})";
constexpr const char* kFolderPath = "/v1/models/m";

unsigned mode_of(const std::string& path) {
  struct stat about {};
  EXPECT_EQ(::stat(path.c_str(), &about), 0) << path;
  return about.st_mode & 07777;
}

std::string folder_request(int number) {
  return fmt::format(R"({{"context":[0.5],"request_id":"r{}"}})", number);
}

class DataFolderTest : public testing::Test {
 protected:
  // Makes a model with `decisions`, and ends with a snapshot.
  void live(int decisions) {
    ServiceOnDisk service(data_);
    ASSERT_TRUE(service.recovered().ok()) << service.recovered().error();
    ASSERT_EQ(service.ask("PUT", kFolderPath, kFolderModel).status, 201);
    for (int i = 0; i < decisions; ++i) {
      const std::string decide = std::string(kFolderPath) + "/decide";
      answers_.push_back(service.ask("POST", decide, folder_request(i)).body);
    }
  }

  Folder folder_{"data_folder"};
  std::string data_ = folder_.at("data");
  std::string model_ = data_ + "/m";
  std::vector<std::string> answers_;
};

TEST_F(DataFolderTest, FoldersThatAreMadeAreForTheirOwner) {
  live(1);
  EXPECT_EQ(mode_of(data_), 0700U);
  EXPECT_EQ(mode_of(model_), 0700U);
  EXPECT_EQ(mode_of(data_ + "/lock"), 0600U);
}

TEST_F(DataFolderTest, AFolderOfSomebodyElseKeepsItsPermissions) {
  fs::create_directory(data_);
  ::chmod(data_.c_str(), 0755);
  live(1);
  EXPECT_EQ(mode_of(data_), 0755U);
  EXPECT_EQ(mode_of(model_), 0700U);
}

TEST_F(DataFolderTest, AFolderThatEverybodyMayWriteIsRefusedAndNotChanged) {
  fs::create_directory(data_);
  ::chmod(data_.c_str(), 01777);
  const ServiceOnDisk service(data_);
  EXPECT_EQ(service.recovered().reason(), Reason::kFailed);
  EXPECT_THAT(service.recovered().error(),
              AllOf(HasSubstr(data_), HasSubstr("everybody may write to it (mode 1777)")));
  EXPECT_EQ(mode_of(data_), 01777U);
  EXPECT_TRUE(fs::is_empty(data_));
}

TEST_F(DataFolderTest, ASlashAtTheEndIsTheSameFolder) {
  data_ += "/";
  live(1);
  EXPECT_EQ(mode_of(data_), 0700U);
}

TEST_F(DataFolderTest, NamesOfFilesAreNoModels) {
  ServiceOnDisk service(data_);
  put_bytes(data_ + "/notes", "mine");
  const HttpResponse lock = service.ask("PUT", "/v1/models/lock", kFolderModel);
  EXPECT_EQ(lock.status, 400);
  EXPECT_THAT(lock.body, HasSubstr("a file of the data folder; accepted: another name"));
  const HttpResponse notes = service.ask("PUT", "/v1/models/notes", kFolderModel);
  EXPECT_EQ(notes.status, 409);
  EXPECT_THAT(notes.body, HasSubstr("a file in the data folder; accepted: another name"));
  EXPECT_EQ(bytes_in(data_ + "/notes"), "mine");
}

TEST_F(DataFolderTest, AMissingJournalStopsItsModelAndIsRefusedByPut) {
  live(3);
  std::string snapshot;
  for (const auto& entry : fs::directory_iterator(model_)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("snapshot-")) snapshot = name;
  }
  for (const std::string& left : {snapshot, std::string("journal-end")}) {
    SCOPED_TRACE(left);
    const Folder other("data_folder_other");
    fs::create_directory(other.at("m"));
    fs::copy_file(model_ + "/" + left, other.at("m") + "/" + left);
    {
      ServiceOnDisk stopped(other.path());
      ASSERT_TRUE(stopped.recovered().ok()) << stopped.recovered().error();
      EXPECT_THAT(stopped.stopped("m"), AllOf(HasSubstr(other.at("m") + "/journal is missing"),
                                              HasSubstr("rein recover " + other.at("m"))));
      EXPECT_EQ(stopped.ask("PUT", kFolderPath, kFolderModel).status, 503);
      EXPECT_FALSE(fs::exists(other.at("m") + "/journal"));
    }
    // The folder appears while a service runs, as from a backup that was restored in part.
    fs::rename(other.at("m"), other.at(".away"));
    ServiceOnDisk service(other.path());
    ASSERT_TRUE(service.recovered().ok()) << service.recovered().error();
    fs::rename(other.at(".away"), other.at("m"));
    const HttpResponse put = service.ask("PUT", kFolderPath, kFolderModel);
    EXPECT_EQ(put.status, 409) << put.body;
    EXPECT_THAT(put.body, HasSubstr("journal is missing"));
    EXPECT_FALSE(fs::exists(other.at("m") + "/journal"));
  }
}

// Whoever opens a pipe waits for somebody who writes into it.
TEST_F(DataFolderTest, APipeInThePlaceOfAFileHoldsNobodyUp) {
  live(3);
  std::string snapshot;
  for (const auto& entry : fs::directory_iterator(model_)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("snapshot-")) snapshot = name;
  }
  for (const std::string& file : {std::string("journal"), std::string("journal-end"), std::string("journal-wal"),
                                  std::string("journal-lock"), snapshot}) {
    SCOPED_TRACE(file);
    const Folder other("data_folder_pipe");
    fs::copy(model_, other.at("m"), fs::copy_options::recursive);
    fs::remove(other.at("m") + "/" + file);
    ASSERT_EQ(::mkfifo((other.at("m") + "/" + file).c_str(), 0600), 0);
    ServiceOnDisk service(other.path());
    ASSERT_TRUE(service.recovered().ok()) << service.recovered().error();
    if (file == snapshot) {  // it can do without
      EXPECT_EQ(service.ask("POST", std::string(kFolderPath) + "/decide", folder_request(0)).body, answers_[0]);
    } else {
      EXPECT_THAT(service.stopped("m"), HasSubstr(other.at("m") + "/" + file));
    }
  }
}

TEST_F(DataFolderTest, AModelThatCannotBeOpenedStopsAloneAndComesBackWithItsFiles) {
  live(3);
  fs::copy(model_, data_ + "/other", fs::copy_options::recursive);
  const std::string mark = bytes_in(model_ + "/journal-end");
  put_bytes(model_ + "/journal-end", "damaged");
  {
    const ServiceOnDisk strict(data_, true);
    EXPECT_EQ(strict.recovered().reason(), Reason::kCorrupt);
    EXPECT_THAT(strict.recovered().error(), HasSubstr("rein recover " + model_));
  }
  testing::internal::CaptureStderr();
  ServiceOnDisk service(data_);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr(R"("level":"error","event":"stopped","model":"m")"),
                    HasSubstr("rein recover " + model_)));
  ASSERT_TRUE(service.recovered().ok()) << service.recovered().error();
  const std::string decide = std::string(kFolderPath) + "/decide";
  const HttpResponse refused = service.ask("POST", decide, folder_request(0));
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, AllOf(HasSubstr(R"("code":"stopped")"), HasSubstr("rein recover " + model_)));
  EXPECT_EQ(service.ask("POST", "/v1/models/other/decide", folder_request(0)).body, answers_[0]);
  EXPECT_EQ(service.ask("GET", "/readyz").body, R"({"ready":true,"stopped":["m"]})");
  EXPECT_THAT(service.ask("GET", "/metrics").body,
              AllOf(HasSubstr("rein_model_stopped{model=\"m\"} 1\n"),
                    HasSubstr("rein_model_stopped{model=\"other\"} 0\n")));
  EXPECT_THAT(service.ask("GET", "/v1/models").body, HasSubstr(R"("name":"m","status":"stopped")"));
  const HttpResponse put = service.ask("PUT", kFolderPath, kFolderModel);
  EXPECT_EQ(put.status, 503);
  EXPECT_THAT(put.body, HasSubstr(R"("code":"stopped")"));
  EXPECT_EQ(service.ask("POST", std::string(kFolderPath) + "/reopen", "{}").status, 503);
  EXPECT_EQ(bytes_in(model_ + "/journal-end"), "damaged");
  // A person puts it right while the service runs.
  put_bytes(model_ + "/journal-end", mark);
  EXPECT_EQ(service.ask("POST", std::string(kFolderPath) + "/reopen", "{}").status, 200);
  EXPECT_EQ(service.ask("POST", decide, folder_request(0)).body, answers_[0]);
  EXPECT_EQ(service.ask("GET", "/readyz").body, R"({"ready":true})");
}

TEST_F(DataFolderTest, AStampOfFilesIsAnotherWhenOneChanges) {
  live(1);
  const std::uint64_t before = stamp_of_files(model_);
  EXPECT_EQ(stamp_of_files(model_), before);
  put_bytes(model_ + "/journal-lock", "");
  EXPECT_EQ(stamp_of_files(model_), before) << "locks do not count";
  put_bytes(model_ + "/more", "");
  const std::uint64_t with_more = stamp_of_files(model_);
  EXPECT_NE(with_more, before);
  fs::remove_all(model_);
  EXPECT_NE(stamp_of_files(model_), with_more);
}

TEST_F(DataFolderTest, ANewModelMayHaveAStateOfSeveralEntries) {
  constexpr const char* kLarge = R"({"actions":200,"hashed":{"context":64,"features":64},"seed":3})";
  std::uint64_t hash = 0;
  {
    ServiceOnDisk service(data_);
    ASSERT_EQ(service.ask("PUT", kFolderPath, kLarge).status, 201);
    hash = service.hash("m");
  }
  EXPECT_GT(fs::file_size(model_ + "/journal"), std::size_t{64} << 20U) << "more than one entry may have";
  for (const auto& entry : fs::directory_iterator(model_)) {
    if (entry.path().filename().string().starts_with("snapshot-")) fs::remove(entry.path());
  }
  ServiceOnDisk service(data_);
  ASSERT_EQ(service.stopped("m"), "");
  EXPECT_EQ(service.hash("m"), hash);
  EXPECT_EQ(service.ask("PUT", kFolderPath, kLarge).status, 200);
}

TEST_F(DataFolderTest, WithAllModelsStoppedItIsNotReady) {
  live(1);
  put_bytes(model_ + "/journal-end", "damaged");
  ServiceOnDisk service(data_);
  ASSERT_TRUE(service.recovered().ok()) << service.recovered().error();
  const HttpResponse ready = service.ask("GET", "/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("every model has stopped"));
}

TEST_F(DataFolderTest, ADeletedFolderStopsItsModelAndIsNotMadeAgain) {
  for (const bool whole : {false, true}) {
    fs::remove_all(data_);
    ServiceOnDisk service(data_);
    ASSERT_EQ(service.ask("PUT", kFolderPath, kFolderModel).status, 201);
    const std::string decide = std::string(kFolderPath) + "/decide";
    ASSERT_EQ(service.ask("POST", decide, folder_request(1)).status, 200);
    fs::remove_all(whole ? data_ : model_);
    // A request that came before is not answered from files that are gone, either.
    EXPECT_EQ(service.ask("POST", decide, folder_request(1)).status, 503);
    const HttpResponse refused = service.ask("POST", decide, folder_request(2));
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("was deleted or moved while it was open"));
    EXPECT_EQ(service.ask("POST", std::string(kFolderPath) + "/reopen", "{}").status, 503);
    EXPECT_EQ(service.ask("POST", decide, folder_request(3)).status, 503);
    EXPECT_FALSE(fs::exists(model_ + "/journal"));
  }
}

TEST_F(DataFolderTest, DamageBeforeTheSnapshotIsSaidToThoseWhoNeedTheEntry) {
  live(40);
  std::string bytes = bytes_in(model_ + "/journal");
  const std::size_t at = bytes.find(answers_[5]);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 10] ^= 1;
  put_bytes(model_ + "/journal", bytes);
  ServiceOnDisk service(data_);
  ASSERT_TRUE(service.recovered().ok()) << service.recovered().error();
  const std::string decide = std::string(kFolderPath) + "/decide";
  testing::internal::CaptureStderr();
  const HttpResponse refused = service.ask("POST", decide, folder_request(5));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("journal damaged"), HasSubstr("is damaged")));
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, AllOf(HasSubstr(R"("code":"journal")"), HasSubstr("is damaged")));
  EXPECT_EQ(service.ask("POST", decide, folder_request(6)).body, answers_[6]);
  EXPECT_EQ(service.ask("POST", decide, folder_request(100)).status, 200);
}

}  // namespace
}  // namespace rein::serve
