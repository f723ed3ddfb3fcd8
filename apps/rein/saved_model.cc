#include "saved_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "verbs.h"

namespace rein::app {

Engine load_model(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw UsageError(fmt::format("{}: it is a folder; accepted: a file that rein train --save, rein whatif "
                                 "--save-policy or Agent.save wrote",
                                 path));
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (!file) throw Failure(fmt::format("{}: cannot be read; accepted: a saved model", path));
  auto engine = Engine::restore(bytes.str());
  if (engine) return std::move(engine).value();
  throw Failure(engine.failure().in(
      fmt::format("{}: not a model that rein train --save, rein whatif --save-policy or Agent.save wrote: ",
                  path)));
}

std::string action_label(const Engine& engine, std::int32_t id) {
  const std::string_view name = engine.action_name(id);
  return name.empty() ? fmt::format("{}", id) : std::string(name);
}

}  // namespace rein::app
