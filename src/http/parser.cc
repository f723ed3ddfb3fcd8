#include "http/parser.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>

namespace rein::serve {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

// A line of a chunked body is a size and perhaps extensions, which are read past.
constexpr std::size_t kMostChunkLine = 4096;

std::string_view view(string_view text) { return {text.data(), text.size()}; }

Refusal refusal_of(const error_code& error) {
  const auto because = [](const char* message) { return Refusal{400, "invalid", message}; };
  if (error == http::error::bad_method) {
    return because("the method is not a token; accepted are letters such as GET, then one space");
  }
  if (error == http::error::bad_target) {
    return because("the target is not accepted; accepted is a path that begins with \"/\"");
  }
  if (error == http::error::bad_version) {
    return because("the request line does not end in HTTP/1.1 or HTTP/1.0, which are accepted");
  }
  if (error == http::error::bad_field) {
    return because("a header has no name that is a token followed by \":\"");
  }
  if (error == http::error::bad_value) return because("a header has a value that is not accepted");
  if (error == http::error::bad_content_length || error == http::error::multiple_content_length) {
    return because("Content-Length is not one whole number of bytes, which is accepted");
  }
  if (error == http::error::bad_transfer_encoding) {
    return because(
        "Transfer-Encoding came twice or with Content-Length; accepted is \"chunked\" alone");
  }
  if (error == http::error::bad_chunk || error == http::error::bad_chunk_extension ||
      error == http::error::bad_line_ending) {
    return because(
        "a chunk of the body is malformed; accepted is a size in hex digits, CR LF, so "
        "many bytes, CR LF");
  }
  return {400, "invalid", "the request is malformed: " + error.message()};
}

}  // namespace

class RequestParser::Beast final : public http::basic_parser<true> {
 public:
  explicit Beast(RequestHead& head) : head_(&head) {
    header_limit(std::numeric_limits<std::uint32_t>::max());  // find_head() has the limit
    body_limit(boost::none);                                  // and the connection this one
  }
  RequestHead* head_;  // until the head is complete
  std::string* body_ = nullptr;
  bool in_chunk_ = false;
  bool trailers_ = false;

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int version,
                       error_code&) override {
    head_->method = view(method);
    head_->target = view(target);
    head_->http11 = version >= 11;
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(http::field, string_view name, string_view value, error_code& error) override {
    if (head_ == nullptr) {
      trailers_ = true;
      error = http::error::bad_field;
      return;
    }
    head_->fields.push_back({view(name), view(value)});
  }
  void on_header_impl(error_code&) override { head_ = nullptr; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override {
    body_->append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t size, string_view, error_code&) override {
    in_chunk_ = size > 0;
  }
  std::size_t on_chunk_body_impl(std::uint64_t remain, string_view body, error_code&) override {
    body_->append(body.data(), body.size());
    in_chunk_ = body.size() < remain;
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
};

RequestParser::RequestParser() = default;
RequestParser::~RequestParser() = default;

std::optional<Refusal> RequestParser::read_head(std::string_view bytes, RequestHead& head) {
  head.fields.clear();
  if (beast_ == nullptr) {
    beast_ = std::make_unique<Beast>(head);
  } else {  // a parser of Beast can be used once; a new one is made in the same place
    std::destroy_at(beast_.get());
    std::construct_at(beast_.get(), head);
  }
  error_code error;
  beast_->put({bytes.data(), bytes.size()}, error);
  if (error) return refusal_of(error);
  if (!beast_->is_header_done()) {
    return Refusal{400, "invalid", "the head is incomplete; accepted are lines that end in CR LF"};
  }
  return std::nullopt;
}

RequestParser::Step RequestParser::read_body(std::string_view bytes, std::string& body) {
  Step step;
  beast_->body_ = &body;
  while (!beast_->is_done()) {
    const std::string_view rest = bytes.substr(step.consumed);
    if (rest.empty()) break;
    // The shortest text outside the bytes of a chunk is the last chunk, "0 CR LF CR LF". Beast relies
    // on seeing all of it at once.
    const bool between_chunks = beast_->chunked() && !beast_->in_chunk_;
    if (between_chunks && rest.size() < 5) break;
    error_code error;
    const std::size_t n = beast_->put({rest.data(), rest.size()}, error);
    step.consumed += n;
    if (error == http::error::need_more) {
      if (between_chunks && rest.size() - n > kMostChunkLine) {
        step.refusal = {400, "invalid",
                        "a line between chunks is too long; accepted are at most 4096 bytes"};
      }
      break;
    }
    if (error) {
      step.refusal = refusal_of(error);
      if (beast_->trailers_) {
        step.refusal->message = "headers came after the chunks; accepted are none (trailers)";
      }
      break;
    }
    if (n == 0) break;
  }
  step.done = beast_->is_done();
  return step;
}

}  // namespace rein::serve
