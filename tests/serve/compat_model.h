// Models that earlier versions made (tests/compat), copied so that a test may change them.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "journal/sqlite_journal.h"
#include "serve/json_in.h"
#include "serve/model.h"
#include "source_dir.h"
#include "tools/offline.h"

namespace rein::serve {
namespace fs = std::filesystem;

inline std::string compat_text(const fs::path& path) {
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

  const fs::path& path() const { return folder_; }
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

}  // namespace rein::serve
