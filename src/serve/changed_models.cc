// Models whose settings changed: a document that is applied, and a model that is archived.
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <future>
#include <system_error>

#include "base/atomic_file.h"
#include "http/log.h"
#include "serve/answer.h"
#include "serve/difference.h"
#include "serve/service.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace fs = std::filesystem;
namespace {

// Waits for the answer of a writer.
class AnswerInTime : public HttpReply {
 public:
  explicit AnswerInTime(std::shared_ptr<std::promise<HttpResponse>> to) : to_(std::move(to)) {}
  void send(HttpResponse response) override { to_->set_value(std::move(response)); }
  std::shared_ptr<EventStream> stream() override { return nullptr; }

 private:
  std::shared_ptr<std::promise<HttpResponse>> to_;
};

}  // namespace

Result<> Service::apply(const std::string& name, const std::string& document, bool only_check) {
  const auto writer = find(name);
  if (writer == nullptr) {
    return Error{fmt::format("model {}: it is not here", name), Reason::kUnknown};
  }
  auto answer = std::make_shared<std::promise<HttpResponse>>();
  auto got = answer->get_future();
  Ask ask{.method = "POST",
          .verb = "apply",
          .rest = {},
          .query = {},
          .body = fmt::format("{{\"document\":{}}}", document),
          .only_check = only_check};
  writer->ask(std::move(ask), std::make_shared<AnswerInTime>(answer));
  const HttpResponse response = got.get();
  if (response.status < 300) {
    if (!only_check) log("info", "applied", {{"model", name}, {"changes", response.body}});
    return {};
  }
  const Json body = read_json(response.body);
  Fields error(Fields(body).get("error"));
  return Error{fmt::format("model {}: {}", name, error.text("message", response.body)),
               response.status == 409 ? Reason::kConflict : Reason::kInvalid, "document"};
}

Result<std::string> Service::archive(const std::string& name) {
  if (options_.shared) {
    return Error{"model: several nodes share its journal, and a node cannot archive it; accepted: a "
                 "service with a data folder",
                 Reason::kConflict};
  }
  if (find(name) == nullptr) {
    return Error{fmt::format("model: there is no \"{}\"", name.substr(0, 64)), Reason::kUnknown};
  }
  const std::string folder = options_.data + "/.archive";
  std::error_code failed;
  if (has_folder()) {  // before the model ends
    fs::create_directory(folder, failed);
    if (!failed && !fs::is_directory(folder, failed)) failed = std::make_error_code(std::errc::not_a_directory);
    if (failed) {
      return Error{fmt::format("model {}: the folder {} cannot be made: {}; the model is served as before", name,
                               folder, failed.message()),
                   Reason::kFailed};
    }
    ::chmod(folder.c_str(), S_IRWXU);
  }
  auto model = release(name);  // after the last answer; its journal is closed with it
  model.reset();
  {
    const std::lock_guard lock(mutex_);
    reopening_.erase(name);
  }
  if (!has_folder()) return std::string();
  const std::int64_t now = clock_->now();
  std::string to = fmt::format("{}/{}-{}", folder, name, now);
  for (int n = 2; fs::exists(to); ++n) to = fmt::format("{}/{}-{}-{}", folder, name, now, n);
  fs::rename(options_.data + "/" + name, to, failed);
  if (failed) {
    const Error why{fmt::format("model {}: its folder could not be moved to {}: {}; it is opened again", name, to,
                                failed.message()),
                    Reason::kFailed};
    add_stopped(name, why);
    return why;
  }
  // A power cut after the answer leaves it archived.
  if (!sync_folder(folder) || !sync_folder(options_.data)) log("warning", "archive not synced", {{"model", name}});
  log("info", "archived", {{"model", name}, {"folder", to}});
  return to;
}

void Service::remove(const std::string& name, std::shared_ptr<HttpReply> reply) {
  control_->run([this, name, reply = std::move(reply)] {
    const auto done = archive(name);
    if (done) {
      return reply->send({.body = fmt::format("{{\"name\":{},\"archived\":{}}}", Json(name).str(),
                                              done.value().empty() ? "null" : Json(done.value()).str()),
                          .headers = {}});
    }
    Refused why = refused(done.failure(), "model");
    if (done.reason() == Reason::kFailed) {  // of the disk, and may pass
      why = Refused(503, "busy", done.error(), "model");
      why.retry_after = 10;
    }
    reply->send(answer_of(why));
  });
}

}  // namespace rein::serve
