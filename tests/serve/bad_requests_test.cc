// Bad requests as data: tests/serve/requests/*.txt. Each gets exactly the answer that stands below it,
// and the state of every model stays as it was. requests/README.md describes the files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "asking.h"
#include "source_dir.h"

namespace rein::serve {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return fs::path(source_dir()) / "tests/serve/requests"; }

std::string text_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Case {
  std::string file;
  std::size_t line = 0;  // of the request
  std::string request;   // "POST /v1/models/plain/decide"
  std::string body;
  bool token = false, lines = false;
  std::string answer;  // "400 invalid context | context: ..."
};

std::vector<Case> cases_of(const fs::path& path) {
  std::vector<Case> cases;
  std::istringstream in(text_of_file(path));
  std::string line;
  Case now;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("#") || (line.empty() && now.request.empty())) continue;
    if (now.request.empty()) {
      now = {.file = path.filename().string(), .line = number, .request = line};
    } else if (line == "+token") {
      now.token = true;
    } else if (line == "+lines") {
      now.lines = true;
    } else if (line.starts_with("= ") || line == "=") {
      now.answer = line.size() > 2 ? line.substr(2) : "";
      cases.push_back(std::exchange(now, {}));
    } else {
      now.body += (now.body.empty() ? "" : "\n") + line;
    }
  }
  EXPECT_TRUE(now.request.empty()) << path << ": the last request has no answer";
  return cases;
}

// Replaces {name} by the id of that name, <<text*N>> by N times the text, and <<xFF>> by that byte.
std::string expanded(std::string text, const std::map<std::string, std::string>& ids) {
  for (const auto& [name, id] : ids) {
    const std::string hole = "{" + name + "}";
    for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole, at)) {
      text.replace(at, hole.size(), id);
    }
  }
  for (std::size_t at = text.find("<<"); at != std::string::npos; at = text.find("<<", at)) {
    const std::size_t end = text.find(">>", at);
    const std::string inside = text.substr(at + 2, end - at - 2);
    std::string made;
    if (const std::size_t star = inside.rfind('*'); star != std::string::npos) {
      for (int n = std::stoi(inside.substr(star + 1)); n > 0; --n) made += inside.substr(0, star);
    } else {
      made = static_cast<char>(std::stoi(inside.substr(1), nullptr, 16));
    }
    text.replace(at, end + 2 - at, made);
    at += made.size();
  }
  return text;
}

// The other way round, for answers that are written into the file.
std::string with_names(std::string text, const std::map<std::string, std::string>& ids) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (static_cast<unsigned char>(text[at]) < 0x20) text.replace(at, 1, "<control>");
  }
  for (const auto& [name, id] : ids) {
    for (std::size_t at = text.find(id); at != std::string::npos; at = text.find(id, at)) {
      text.replace(at, id.size(), "{" + name + "}");
    }
  }
  return text;
}

// "STATUS CODE FIELD | MESSAGE", with the Retry-After if there is one.
std::string summary(const HttpResponse& got) {
  const Json error = member(read_json(got.body), "error");
  const auto* field = std::get_if<std::string>(&member(error, "field").is);
  std::string retry;
  for (const auto& [name, value] : got.headers) {
    if (name == "Retry-After") retry = " (Retry-After " + value + ")";
  }
  return std::to_string(got.status) + " " + text_in(error, "code") + retry + " " +
         (field != nullptr ? *field : "-") + " | " + text_in(error, "message");
}

class BadRequests : public testing::Test {
 protected:
  // The models of models.json, and decisions in every state.
  void SetUp() override {
    const Json models = read_json(text_of_file(folder() / "models.json"));
    for (const auto& [name, document] : std::get<Json::Object>(models.is)) {
      asking_.get("PUT", "/v1/models/" + name, document.str());
    }
    decide("expired", R"({"context":[1,0]})");
    decide("given_up", R"({"context":[1,0],"activate":false})");
    asking_.sleep(601);
    asking_.get("GET", "/v1/models/plain/state");
    decide("open", R"({"context":[0,1],"request_id":"first"})");
    decide("part", R"({"context":[0,1]})");
    outcome("part", R"("reward":1)");
    decide("settled", R"({"context":[0,1]})");
    outcome("settled", R"("reward":1,"costs":0.05)");
    decide("cancelled", R"({"context":[0,1]})");
    asking_.get("POST", "/v1/models/plain/cancel", R"({"id":")" + ids_["cancelled"] + "\"}");
    ids_["other"] = text_in(
        asking_.get("POST", "/v1/models/named/decide", R"({"context":{"age":30,"country":"DE"}})"),
        "id");
    // The tight model has money for one decision in its window, and for one in the whole run.
    asking_.get("POST", "/v1/models/tight/decide", "{}");
    asking_.get("POST", "/v1/models/tight_run/decide", "{}");
    asking_.get("POST", "/v1/models/small/decide", "{}");
  }
  void decide(const std::string& name, const std::string& body) {
    ids_[name] = text_in(asking_.get("POST", "/v1/models/plain/decide", body), "id");
  }
  void outcome(const std::string& name, const std::string& parts) {
    asking_.get("POST", "/v1/models/plain/outcome",
                R"({"id":")" + ids_[name] + "\"," + parts + "}");
  }
  HttpResponse send(const Case& one) {
    const std::size_t space = one.request.find(' ');
    const std::string target = expanded(one.request.substr(space + 1), ids_);
    const std::size_t mark = std::min(target.find('?'), target.size());
    return asking_.ask({.method = one.request.substr(0, space),
                        .path = target.substr(0, mark),
                        .query = mark < target.size() ? target.substr(mark + 1) : "",
                        .body = expanded(one.body, ids_),
                        .lines = one.lines,
                        .token = one.token});
  }
  void check(const fs::path& path);

  Asking asking_;
  std::map<std::string, std::string> ids_;
};

void BadRequests::check(const fs::path& path) {
  const bool write = std::getenv("REIN_WRITE_ANSWERS") != nullptr;
  std::string before = asking_.hashes();
  std::map<std::size_t, std::string> found;
  for (const Case& one : cases_of(path)) {
    SCOPED_TRACE(one.file + ":" + std::to_string(one.line) + ": " + one.request);
    const HttpResponse got = send(one);
    const std::string after = asking_.hashes();
    EXPECT_EQ(after, before) << "a request that is refused changes nothing";
    before = after;
    if (got.status < 400) {
      ADD_FAILURE() << "accepted: " << got.body.substr(0, 300);
      continue;
    }
    found[one.line] = with_names(summary(got), ids_);
    if (!write) {
      EXPECT_EQ(found[one.line], one.answer);
    }
  }
  if (!write) return;
  std::istringstream in(text_of_file(path));
  std::string line, text, answer;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (found.contains(number)) answer = found[number];
    text += (line.starts_with("= ") || line == "=" ? "= " + answer : line) + "\n";
  }
  std::ofstream(path) << text;
}

TEST_F(BadRequests, GetTheirAnswerAndChangeNothing) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::size_t count = 0;
  for (const fs::path& path : paths) {
    count += cases_of(path).size();
    check(path);
  }
  EXPECT_GE(count, 200U);
}

}  // namespace
}  // namespace rein::serve
