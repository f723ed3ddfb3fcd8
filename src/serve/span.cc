#include "serve/span.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "rein/version.h"
#include "serve/json_in.h"

namespace rein::serve {
namespace {

constexpr std::string_view kModels = "/v1/models/";
constexpr int kServer = 2, kInternal = 1;  // SpanKind
constexpr int kError = 2;                  // StatusCode

const Json* member_of(const Json& value, std::string_view name) {
  const Json::Object* object = object_in(value);
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, name, [](const auto& each) { return each.first; });
  return found == object->end() ? nullptr : &found->second;
}

// Writes one attribute after the other. A value that is not there has none.
class Attributes {
 public:
  explicit Attributes(JsonWriter& json) : json_(json) { json_.key("attributes").begin_array(); }
  ~Attributes() { json_.end_array(); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  void add(std::string_view name, std::string_view text) {
    begin(name).key("stringValue").value(text);
    end();
  }
  void add(std::string_view name, std::int64_t whole) {
    begin(name).key("intValue").value(fmt::format("{}", whole));
    end();
  }
  void add(std::string_view name, double number) {
    begin(name).key("doubleValue").value(number);
    end();
  }
  void flag(std::string_view name) {
    begin(name).key("boolValue").value(true);
    end();
  }
  void add(std::string_view name, const Json* value) {
    if (value == nullptr) return;
    if (const auto* text = std::get_if<std::string>(&value->is)) add(name, std::string_view(*text));
    if (const auto* whole = std::get_if<std::int64_t>(&value->is)) add(name, *whole);
  }
  void add_number(std::string_view name, const Json* value) {
    if (value == nullptr) return;
    if (const auto* number = std::get_if<double>(&value->is)) add(name, *number);
    if (const auto* whole = std::get_if<std::int64_t>(&value->is)) add(name, static_cast<double>(*whole));
  }

 private:
  JsonWriter& begin(std::string_view name) {
    json_.begin_object().key("key").value(name);
    return json_.key("value").begin_object();
  }
  void end() { json_.end_object().end_object(); }
  JsonWriter& json_;
};

// The part of a path behind `/v1/models/`, up to the next "/".
std::string_view model_of(std::string_view path) {
  path.remove_prefix(std::min(path.size(), kModels.size()));
  return path.substr(0, path.find('/'));
}

// events/ID/reward has the id in its path, and no body in its answer.
std::string_view event_of(std::string_view path) {
  constexpr std::string_view kBefore = "/events/", kAfter = "/reward";
  const std::size_t at = path.rfind(kBefore);
  if (at == std::string_view::npos || !path.ends_with(kAfter)) return {};
  path.remove_prefix(at + kBefore.size());
  return path.substr(0, path.size() - kAfter.size());
}

// What the answer says of a decision or outcome. The ranking service has words of its own for the first two.
void describe(Attributes& attributes, const Json& answer) {
  attributes.add("rein.decision", member_of(answer, "id"));
  attributes.add("rein.decision", member_of(answer, "eventId"));
  attributes.add("rein.action", member_of(answer, "action"));
  attributes.add("rein.action", member_of(answer, "rewardActionId"));
  attributes.add_number("rein.probability", member_of(answer, "probability"));
  attributes.add("rein.status", member_of(answer, "status"));
  attributes.add("rein.mode", member_of(answer, "mode"));
  attributes.add("rein.fallback", member_of(answer, "fallback"));
  attributes.add("rein.result", member_of(answer, "result"));
  if (const Json* error = member_of(answer, "error")) attributes.add("error.type", member_of(*error, "code"));
}

struct Ids {
  std::string trace, parent;
};

// One span, up to its attributes, which the caller closes with the object.
std::string begin_span(JsonWriter& json, const TracedAnswer& answer, const Ids& ids, int kind, SpanIds& next) {
  std::string own = fmt::format("{:016x}", next.next());
  json.begin_object().key("traceId").value(ids.trace).key("spanId").value(own);
  if (!ids.parent.empty()) json.key("parentSpanId").value(ids.parent);
  json.key("name").value(fmt::format("{} {}", answer.outcome ? "outcome" : "decide", model_of(answer.path)));
  json.key("kind").value(kind);
  json.key("startTimeUnixNano").value(fmt::format("{}", answer.begin_nanos));
  json.key("endTimeUnixNano").value(fmt::format("{}", answer.end_nanos));
  return own;
}

void end_span(JsonWriter& json, int status) {
  if (status >= 500) json.key("status").begin_object().key("code").value(kError).end_object();
  json.end_object();
}

Json body_of(const TracedAnswer& answer) {
  try {
    return answer.body.empty() ? Json() : read_json(answer.body);
  } catch (const Refused&) {  // an answer that is no JSON has no attributes
    return {};
  }
}

std::int64_t write_spans(JsonWriter& json, const TracedAnswer& answer, SpanIds& next) {
  Ids ids;
  if (answer.traceparent.empty()) {
    const std::uint64_t first = next.next();
    ids.trace = fmt::format("{:016x}{:016x}", first, next.next());
  } else {  // 00-TRACE-PARENT-FLAGS
    ids.trace = answer.traceparent.substr(3, 32);
    ids.parent = answer.traceparent.substr(36, 16);
  }
  const Json body = body_of(answer);
  const Json* many = member_of(body, answer.outcome ? "results" : "decisions");
  const auto* list = many == nullptr ? nullptr : std::get_if<Json::List>(&many->is);
  ids.parent = begin_span(json, answer, ids, kServer, next);
  {
    Attributes attributes(json);
    attributes.add("rein.model", model_of(answer.path));
    attributes.add("http.response.status_code", static_cast<std::int64_t>(answer.status));
    if (answer.repeated) attributes.flag("rein.repeated");
    if (list != nullptr) {
      attributes.add("rein.batch", static_cast<std::int64_t>(list->size()));
    } else {
      if (const auto event = event_of(answer.path); !event.empty()) attributes.add("rein.decision", event);
      describe(attributes, body);
    }
  }
  end_span(json, answer.status);
  if (list == nullptr) return 1;
  for (const Json& each : *list) {
    begin_span(json, answer, ids, kInternal, next);
    {
      Attributes attributes(json);
      attributes.add("rein.model", model_of(answer.path));
      attributes.add("http.response.status_code", member_of(each, "status_code"));
      describe(attributes, each);
    }
    const Json* code = member_of(each, "status_code");
    const auto* status = code == nullptr ? nullptr : std::get_if<std::int64_t>(&code->is);
    end_span(json, status == nullptr ? 0 : static_cast<int>(*status));
  }
  return 1 + static_cast<std::int64_t>(list->size());
}

}  // namespace

// splitmix64
std::uint64_t SpanIds::next() {
  std::uint64_t z = 0;
  while (z == 0) {
    z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    z ^= z >> 31U;
  }
  return z;
}

bool is_sampled(std::string_view traceparent) {
  const char last = traceparent.empty() ? '0' : traceparent.back();
  const int digit = last >= 'a' ? last - 'a' + 10 : last - '0';
  return digit % 2 == 1;
}

OtlpSpans otlp_spans(std::span<const TracedAnswer> answers, std::string_view node, SpanIds& ids) {
  OtlpSpans out;
  JsonWriter json;
  json.begin_object().key("resourceSpans").begin_array().begin_object();
  json.key("resource").begin_object();
  {
    Attributes attributes(json);
    attributes.add("service.name", "rein");
    attributes.add("service.version", version());
    if (!node.empty()) attributes.add("service.instance.id", node);
  }
  json.end_object().key("scopeSpans").begin_array().begin_object();
  json.key("scope").begin_object().key("name").value("rein").key("version").value(version()).end_object();
  json.key("spans").begin_array();
  for (const TracedAnswer& answer : answers) out.count += write_spans(json, answer, ids);
  json.end_array().end_object().end_array().end_object().end_array().end_object();
  out.text = json.str();
  return out;
}

}  // namespace rein::serve
