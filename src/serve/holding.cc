#include "serve/holding.h"

#include <fmt/format.h>

#include "serve/answer.h"
#include "serve/model.h"

namespace rein::serve {

void check_open_bytes(const Model& model) {
  if (model.open_bytes() < model.most_open_bytes()) return;
  Refused full(503, "full",
               fmt::format("the open decisions take {} MiB; accepted: at most {}. Report or cancel "
                           "their outcomes, set expire_after, or offer fewer actions",
                           model.open_bytes() >> 20U, model.most_open_bytes() >> 20U));
  full.retry_after = 60;  // outcomes make room, and nobody knows when they come
  throw full;
}

void write_limits(JsonWriter& json, const Model& model) {
  const EngineOptions& options = model.state().engine.options();
  json.begin_object().key("most_open").value(options.most_open);
  json.key("open_bytes").value(model.most_open_bytes());
  json.key("expire_after").value(options.expire_after);
  json.key("remember").value(options.remember);
  json.key("request_ids").value(model.state().requests.most()).end_object();
}

}  // namespace rein::serve
