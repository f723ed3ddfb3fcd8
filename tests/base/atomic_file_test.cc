// write_whole: a reader sees the old file or the new one, never a part. Errors name the cause.
#include "base/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace rein {
namespace {

using testing::HasSubstr;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() : folder_(testing::TempDir() + "rein_atomic_" + std::to_string(::getpid())) {
    std::filesystem::create_directory(folder_);
  }
  ~AtomicFileTest() override { std::filesystem::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  std::string read(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator()));
  }

  std::string folder_;
};

TEST_F(AtomicFileTest, WritesAndReplaces) {
  const std::string large(1 << 20, 'x');
  for (const std::string& text : {std::string("a"), large, std::string(), std::string("b\0c", 3)}) {
    ASSERT_TRUE(check_writable(at("f")).ok());
    ASSERT_TRUE(write_whole(at("f"), text).ok());
    EXPECT_EQ(read("f"), text);
    EXPECT_EQ(count(), 1U);
  }
}

TEST_F(AtomicFileTest, PiecesAreOneFileAtTheEndOrNone) {
  write_whole(at("f"), "old").check();
  for (const bool finished : {false, true}) {
    {
      auto file = PieceFile::open(at("f"));
      ASSERT_TRUE(file.ok()) << file.error();
      ASSERT_TRUE(file.value().write("new ").ok());
      ASSERT_TRUE(file.value().write("file").ok());
      EXPECT_EQ(read("f"), "old");
      EXPECT_EQ(count(), 2U);
      EXPECT_TRUE(!finished || file.value().finish().ok());
    }
    EXPECT_EQ(read("f"), finished ? "new file" : "old");
    EXPECT_EQ(count(), 1U);
  }
  EXPECT_THAT(PieceFile::open(at("none/f")).error(), HasSubstr("there is no folder"));
  auto null = PieceFile::open("/dev/null");
  ASSERT_TRUE(null.ok()) << null.error();
  EXPECT_TRUE(null.value().write("gone").ok());
  EXPECT_TRUE(null.value().finish().ok());
}

TEST_F(AtomicFileTest, AFailedWriteLeavesTheOldFile) {
  write_whole(at("f"), "old").check();
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<> done = write_whole(at("f"), std::string(5000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.reason(), Reason::kFailed);
  EXPECT_THAT(done.error(), HasSubstr("/f: File too large"));
  EXPECT_EQ(read("f"), "old");
  EXPECT_EQ(count(), 1U) << "the temporary file is gone";
}

TEST_F(AtomicFileTest, LinksAndPermissionsStay) {
  write_whole(at("real"), "old").check();
  ASSERT_EQ(::chmod(at("real").c_str(), 0604), 0);
  std::filesystem::create_symlink("real", at("link"));
  write_whole(at("link"), "new").check();
  EXPECT_TRUE(std::filesystem::is_symlink(at("link")));
  EXPECT_EQ(read("real"), "new");
  struct stat about {};
  ASSERT_EQ(::stat(at("real").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0604U);
}

TEST_F(AtomicFileTest, WhatStandsInTheWayIsNamedBeforehand) {
  write_whole(at("f"), "").check();
  const std::pair<std::string, std::string> cases[] = {
      {at("none/f"), "there is no folder " + at("none/")},
      {folder_, "Is a directory"},
      {at("new/"), "Is a directory"},
      {at("f/g"), "Not a directory"},
      {"", "Is a directory"},
      {at(std::string(300, 'n')), "File name too long"}};
  for (const auto& [path, why] : cases) {
    EXPECT_THAT(check_writable(path).error(), HasSubstr("cannot write " + path + ": " + why));
    EXPECT_THAT(write_whole(path, "x").error(), HasSubstr(why));
  }
  EXPECT_EQ(count(), 1U);
}

TEST_F(AtomicFileTest, DevicesAreWrittenDirectly) {
  EXPECT_TRUE(check_writable("/dev/null").ok());
  EXPECT_TRUE(write_whole("/dev/null", "x").ok());
  EXPECT_THAT(write_whole("/dev/full", "x").error(), HasSubstr("No space left"));
}

}  // namespace
}  // namespace rein
