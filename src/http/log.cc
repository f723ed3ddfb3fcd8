#include "http/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

namespace rein::serve {

void log(std::string_view level, std::string_view event, const Json::Object& more) {
  const auto now = std::chrono::system_clock::now();
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now - second).count();
  Json::Object line;
  line.emplace_back("at",
                    fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                                fmt::gmtime(std::chrono::system_clock::to_time_t(second)), millis));
  line.emplace_back("level", level);
  line.emplace_back("event", event);
  line.insert(line.end(), more.begin(), more.end());
  const std::string text = Json(std::move(line)).str() + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);  // one call, so that lines do not mix
}

}  // namespace rein::serve
