#include "http/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>

#include "http/text.h"

namespace rein::serve {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

void append_number(std::string& out, std::size_t number) {
  fmt::format_to(std::back_inserter(out), FMT_STRING("{}"), number);
}

void append_status(std::string& out, int status, const AnswerFrame& frame) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(status));
  out += ' ';
  out += reason_of(status);
  out += "\r\nDate: ";
  out += frame.date;
  out += "\r\nX-Content-Type-Options: nosniff\r\n";
  if (!frame.keep_alive) {
    out += "Connection: close\r\n";
  } else if (!frame.http11) {
    out += "Connection: keep-alive\r\n";
  }
}

// A value with a line break would end the header and begin another header.
bool is_safe(std::string_view text) { return std::none_of(text.begin(), text.end(), is_control); }

bool append_headers(std::string& out, const HttpResponse& response) {
  bool cache = false;
  for (const auto& [name, value] : response.headers) {
    if (!is_safe(name) || !is_safe(value)) continue;
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
    cache = cache || same_word(name, "cache-control");
  }
  return cache;
}

// As a JSON string. Bytes that are not printable ASCII became "?" before.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= 0x20 && c < 0x7f ? c : '?';
  }
  out += '"';
}

}  // namespace

bool has_no_content(int status) { return status == 204 || status == 304; }

void append_answer(std::string& out, const HttpResponse& response, const AnswerFrame& frame) {
  append_status(out, response.status, frame);
  if (!append_headers(out, response)) out += "Cache-Control: no-store\r\n";
  const bool no_content = has_no_content(response.status);
  if (!no_content) {
    out += "Content-Type: ";
    out += is_safe(response.type) ? std::string_view(response.type) : "application/octet-stream";
    out += "\r\nContent-Length: ";
    append_number(out, response.body.size());
    out += "\r\n";
  }
  out += "\r\n";
  if (!frame.without_body && !frame.body_follows && !no_content) out += response.body;
}

void append_stream_head(std::string& out, std::string_view type, bool chunked,
                        const AnswerFrame& frame) {
  append_status(out, 200, frame);
  out += "Cache-Control: no-store\r\nContent-Type: ";
  out += type;
  out += chunked ? "\r\nTransfer-Encoding: chunked\r\n\r\n" : "\r\n\r\n";
}

void append_chunk(std::string& out, std::string_view bytes) {
  fmt::format_to(std::back_inserter(out), FMT_STRING("{:x}\r\n"), bytes.size());
  out += bytes;
  out += "\r\n";
}

HttpResponse answer_of(const Refusal& refusal) {
  HttpResponse response{.status = refusal.status};
  response.body = "{\"error\":{\"code\":";
  append_quoted(response.body, refusal.code);
  response.body += ",\"message\":";
  append_quoted(response.body, refusal.message);
  response.body += ",\"field\":null}}";
  if (refusal.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (refusal.status == 503 || refusal.status == 429)
    response.headers.emplace_back("Retry-After", "1");
  return response;
}

void append_line(std::string& out, int status, std::string_view body) {
  const std::string_view text = [&] {
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return std::string_view();
    return body.substr(first, body.find_last_not_of(" \t\r\n") - first + 1);
  }();
  out += "{\"status_code\":";  // answers have a "status" of their own
  append_number(out, static_cast<std::size_t>(status));
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') {
    const std::string_view members = text.substr(1);
    if (members.find_first_not_of(" \t\r\n") != members.size() - 1) out += ',';
    // Line breaks of JSON stand only between its words, so a space does as well.
    const std::size_t begin = out.size();
    out += members;
    std::replace_if(
        out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
        [](char c) { return c == '\n' || c == '\r'; }, ' ');
  } else {
    if (!text.empty()) {
      out += ",\"body\":";
      append_quoted(out, text);
    }
    out += '}';
  }
  out += '\n';
}

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[parts.tm_wday], parts.tm_mday,
                     kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min,
                     parts.tm_sec);
}

}  // namespace rein::serve
