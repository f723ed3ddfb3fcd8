// Models of every earlier version (tests/compat): this program folds their journals to the hashes that
// they had, and goes on by its own rules.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "journal/sqlite_journal.h"
#include "model_life.h"
#include "rein/state_version.h"
#include "serve/json_in.h"
#include "serve/model.h"
#include "serve/offline.h"
#include "source_dir.h"

namespace rein::serve {
namespace {
namespace fs = std::filesystem;

std::string compat_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A copy of the folder of a model, because opening a journal may write.
class CompatModel {
 public:
  CompatModel(const std::string& version, const std::string& name)
      : name_(name), from_(fs::path(source_dir()) / "tests/compat" / version) {
    static int count = 0;
    folder_ = fs::temp_directory_path() / fmt::format("rein_compat_{}_{}", ::getpid(), ++count);
    fs::copy(from_ / "models" / name, folder_, fs::copy_options::recursive);
  }
  ~CompatModel() { fs::remove_all(folder_); }
  CompatModel(const CompatModel&) = delete;
  CompatModel& operator=(const CompatModel&) = delete;

  ModelFolder folder() const { return {name_, folder_.string()}; }
  std::unique_ptr<Journal> journal() const { return open_journal_of(folder()).value(); }
  std::optional<Snapshot> snapshot() const {
    return SnapshotFiles(folder_.string()).latest().value().snapshot;
  }
  // Opened as the service does it, a second after its last entry.
  std::unique_ptr<Model> open(std::int64_t later = 1) const {
    const std::int64_t last = figure("last_at") + later;
    auto journal = open_sqlite_journal((folder_ / "journal").string(), {.create = false});
    return Model::open(name_, std::move(journal).value(),
                       {.folder = folder_.string(), .wall = [last] { return last; }})
        .value();
  }
  // What the program that made it said of it.
  std::int64_t figure(const char* key) const {
    const Json all = figures();
    Fields model(all);
    return whole_of(model.get(key), key);
  }
  std::string hash() const {
    const Json all = figures();
    const Json state = Fields(all).get("state");
    return text_of(Fields(state).get("hash"), "hash");
  }

 private:
  Json figures() const {
    const Json all = read_json(compat_text(from_ / "figures.json"));
    const Json models = Fields(all).get("models");
    return Fields(models).get(name_.c_str());
  }

  std::string name_;
  fs::path from_, folder_;
};

class Compat : public testing::TestWithParam<std::string> {};

constexpr const char* kCompatModels[] = {"money", "plain", "late"};

TEST_P(Compat, JournalsFoldToTheHashesThatTheyHad) {
  for (const char* name : kCompatModels) {
    SCOPED_TRACE(name);
    const CompatModel model(GetParam(), name);
    const auto journal = model.journal();
    EXPECT_EQ(journal->last(), model.figure("last"));
    const auto whole = fold_journal(*journal, {});
    ASSERT_TRUE(whole) << whole.error();
    EXPECT_EQ(fmt::format("{:016x}", whole.value().hash()), model.hash());
    const auto snapshot = model.snapshot();
    if (!snapshot) continue;
    const auto rest = fold_journal(*journal, {.from = &*snapshot});
    ASSERT_TRUE(rest) << rest.error();
    EXPECT_EQ(fmt::format("{:016x}", rest.value().hash()), model.hash());
  }
}

TEST_P(Compat, ModelsGoOnByTheNewestRulesFromAnEntryOn) {
  for (const char* name : kCompatModels) {
    SCOPED_TRACE(name);
    const CompatModel model(GetParam(), name);
    std::uint64_t hash = 0;
    {
      const auto opened = model.open();
      EXPECT_EQ(opened->engine().rules(), kRules);
      const std::int64_t adopted = GetParam() == "0.1.0" ? 1 : 0;
      EXPECT_EQ(opened->committed(), model.figure("last") + adopted);
      opened->begin();
      const OpenDecision oldest = opened->engine().open(1).at(0);
      const int costs = static_cast<int>(opened->engine().policy().shape().costs.size());
      if (std::string_view(name) != "late") {  // there it has expired by now
        const HttpResponse answer = opened->call(post(
            "outcome", fmt::format(R"({{"id":"{:016x}","reward":0.5{}}})", oldest.id,
                                   costs == 0 ? "" : R"(,"costs":{"tokens":1})")));
        EXPECT_EQ(answer.status, 200) << answer.body;
      }
      opened->commit().check();
      opened->make_snapshot().value();
      hash = opened->state().hash();
    }
    // A reader of the journal, from the beginning and from the old snapshot, has the same.
    const auto journal = model.journal();
    EXPECT_EQ(hash_of_fold(*journal), hash);
    if (const auto snapshot = model.snapshot()) {
      EXPECT_EQ(fold_journal(*journal, {.from = &*snapshot}).value().hash(), hash);
    }
  }
}

TEST_P(Compat, ModelsAreSavedInTheNewestFormWithTheirRules) {
  const CompatModel model(GetParam(), "money");
  const auto journal = model.journal();
  const auto old = fold_journal(*journal, {});
  const auto again = ModelState::restore(old.value().save());
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again.value().engine.rules(), old.value().engine.rules());
  EXPECT_EQ(again.value().hash(), old.value().hash());
}

std::vector<std::string> compat_versions() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(fs::path(source_dir()) / "tests/compat")) {
    if (fs::exists(entry.path() / "models")) found.push_back(entry.path().filename().string());
  }
  std::ranges::sort(found);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Versions, Compat, testing::ValuesIn(compat_versions()),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(CompatFiles, EveryVersionFromTheFirstIsThere) {
  const std::vector<std::string> found = compat_versions();
  EXPECT_TRUE(std::ranges::find(found, "0.1.0") != found.end());
}

}  // namespace
}  // namespace rein::serve
