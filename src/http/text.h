// Small pieces of HTTP text. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rein::serve {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);
// Equal but for the case of ASCII letters. `word` is in lower case.
bool same_word(std::string_view text, std::string_view word);
bool same_letters(std::string_view a, std::string_view b);

// Appends the decoded path to `out`. False for an escape that is not two hex digits, an encoded slash
// or control character, and for bytes that are not UTF-8.
bool percent_decoded(std::string_view text, std::string& out);
bool is_utf8(std::string_view text);

enum class BodyType { kJson, kLines, kOther };
// The type of a body by its Content-Type: application/json or application/x-ndjson, with
// charset=utf-8 or no parameter.
BodyType body_type(std::string_view content_type);

// The form of W3C Trace Context, so that it goes into logs as it is.
bool is_traceparent(std::string_view value);

// Foreign text for a message: printable ASCII, cut after 60 characters, in quotes.
std::string shown(std::string_view text);

}  // namespace rein::serve
