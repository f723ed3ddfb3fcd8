// The API document and the table of verbs name the same paths.
#include "serve/openapi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "asking.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

constexpr std::string_view kBase = "/v1/models/{model}";

// "POST decide", "GET explain/", "POST events/": a name, and whether more follows.
std::string entry(std::string_view method, std::string_view name, bool rest) {
  return std::string(method) + " " + std::string(name) + (rest ? "/" : "");
}

std::set<std::string> of_the_document() {
  std::set<std::string> found;
  const Json paths = member(read_json(openapi_document()), "paths");
  for (const auto& [path, operations] : std::get<Json::Object>(paths.is)) {
    if (!path.starts_with(kBase)) continue;
    std::string name = path.substr(std::min(path.size(), kBase.size() + 1));
    if (const std::string_view rank = "personalizer/v1.0/"; name.starts_with(rank)) {
      name.erase(0, rank.size());
    }
    const std::size_t slash = name.find('/');
    for (const auto& [method, what] : std::get<Json::Object>(operations.is)) {
      if (method == "parameters") continue;
      std::string upper = method;
      std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
      found.insert(entry(upper, name.substr(0, slash), slash != std::string::npos));
    }
  }
  return found;
}

TEST(OpenApi, NamesEveryVerbAndNoOther) {
  std::set<std::string> wanted = {"PUT ", "DELETE ", "GET events", "POST reopen",  // the service answers these
                                  "POST move"};                         // and a node of several
  for (const Verb& verb : verbs()) wanted.insert(entry(verb.method, verb.name, verb.takes_rest));
  EXPECT_EQ(of_the_document(), wanted);
}

TEST(OpenApi, NamesThePathsBesideTheModels) {
  const Json paths = member(read_json(openapi_document()), "paths");
  Asking asking;
  for (const auto& [path, operations] : std::get<Json::Object>(paths.is)) {
    if (path.starts_with(kBase) || path.find("events") != std::string::npos) continue;
    if (path == "/v1/cluster") continue;  // of a node
    EXPECT_EQ(asking.ask("GET", path).status, 200) << path;
  }
}

}  // namespace
}  // namespace rein::serve
