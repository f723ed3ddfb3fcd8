// Responses as bytes. Pure: appends to buffers that the caller reuses.
#pragma once

#include <string>
#include <string_view>

#include "http/checks.h"

namespace rein::serve {

// How an answer is sent, whatever it says.
struct AnswerFrame {
  bool keep_alive = true;
  bool http11 = true;
  bool without_body = false;  // to HEAD
  bool body_follows = false;  // the caller sends the body itself
  std::string_view date;      // of the Date header
};

bool has_no_content(int status);

// The complete response with its Content-Length.
void append_answer(std::string& out, const HttpResponse& response, const AnswerFrame& frame);

// The head of a response of unknown length: in chunks with HTTP/1.1 if the connection stays, otherwise
// until the connection closes.
void append_stream_head(std::string& out, std::string_view type, bool chunked,
                        const AnswerFrame& frame);
void append_chunk(std::string& out, std::string_view bytes);

// {"error":{"code":"...","message":"...","field":null}}
HttpResponse answer_of(const Refusal& refusal);

// One line of an NDJSON answer, with its newline: the body with "status" as its first member.
void append_line(std::string& out, int status, std::string_view body);

// The present time in the form of the Date header.
std::string http_date();

}  // namespace rein::serve
