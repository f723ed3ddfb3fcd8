#include "rein/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace rein {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }
bool is_number_start(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.'; }

// Recursive descent. The first failure is kept, and everything after it unwinds.
class Parser {
 public:
  Parser(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  Result<Spec> whole() {
    Spec spec = parse_spec(0);
    if (!error_ && at_ < text_.size()) fail_expected("end of text");
    return done(std::move(spec));
  }

  Result<std::vector<Spec>> list() {
    std::vector<Spec> specs;
    do {
      specs.push_back(parse_spec(0));
    } while (!error_ && take(','));
    if (!error_ && at_ < text_.size()) fail_expected("\",\" or end of text");
    return done(std::move(specs));
  }

 private:
  template <class T>
  Result<T> done(T value) {
    if (error_) return Error{*error_};
    return value;
  }

  Spec parse_spec(int depth) {
    Spec spec;
    skip_space();
    spec.at = here();
    spec.name = parse_name("a name");
    skip_space();
    const int open = here();
    if (error_ || !take('(')) return spec;
    if (depth >= kMaxSpecDepth) {
      fail(fmt::format("nested deeper than {} at {}", kMaxSpecDepth, open));
      return spec;
    }
    if (take(')')) return spec;
    do {
      parse_option(spec, depth);
    } while (!error_ && take(','));
    if (!error_ && !take(')')) fail_expected("\",\" or \")\"");
    return spec;
  }

  void parse_option(Spec& spec, int depth) {
    skip_space();
    const int key_at = here();
    std::string key = parse_name("a key");
    if (error_) return;
    if (spec.find(key))
      return fail(fmt::format("key \"{}\" given twice, again at {}", key, key_at));
    if (!take('=')) return fail_expected(fmt::format("\"=\" after key \"{}\"", key));
    SpecValue value = parse_value(depth + 1);
    value.key_at = key_at;
    if (!error_) spec.set(std::move(key), std::move(value));
  }

  SpecValue parse_value(int depth) {
    SpecValue value;
    skip_space();
    value.at = here();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '"') {
      value.is = parse_quoted();
    } else if (c == '[') {
      value.is = parse_list(depth);
    } else if (is_number_start(c)) {
      value.is = parse_number();
    } else if (is_name_start(c)) {
      value.is = parse_spec(depth);
    } else {
      fail_expected("a number, a word, \"text\", [list] or a spec");
    }
    return value;
  }

  SpecValue::List parse_list(int depth) {
    SpecValue::List list;
    const int open = here();
    ++at_;
    if (depth >= kMaxSpecDepth) {
      fail(fmt::format("nested deeper than {} at {}", kMaxSpecDepth, open));
      return list;
    }
    if (take(']')) return list;
    do {
      list.push_back(parse_value(depth + 1));
    } while (!error_ && take(','));
    if (!error_ && !take(']')) fail_expected("\",\" or \"]\"");
    return list;
  }

  SpecValue::Quoted parse_quoted() {
    SpecValue::Quoted quoted;
    const int open = here();
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      quoted.text += text_[at_];
    }
    if (at_ >= text_.size()) {
      fail(fmt::format("the text that opens at {} has no closing quote", open));
    } else {
      ++at_;
    }
    return quoted;
  }

  double parse_number() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_name(text_[at_]) || is_number_start(text_[at_]))) ++at_;
    const std::string_view token = text_.substr(start, at_ - start);
    // from_chars accepts a minus but no plus.
    const std::string_view bare = token.substr(token.starts_with('+') ? 1 : 0);
    const bool two_signs = bare.size() < token.size() && bare.starts_with('-');
    double number = 0.0;
    const auto [end, code] = std::from_chars(bare.data(), bare.data() + bare.size(), number);
    if (code != std::errc() || end != bare.data() + bare.size() || !std::isfinite(number) ||
        two_signs) {
      fail(fmt::format("\"{}\" at {} is not a finite number", token, start));
    }
    return number;
  }

  std::string parse_name(std::string_view wanted) {
    skip_space();
    const std::size_t start = at_;
    if (at_ < text_.size() && is_name_start(text_[at_])) {
      while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    }
    if (at_ == start) fail_expected(wanted);
    return std::string(text_.substr(start, at_ - start));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }
  int here() const { return static_cast<int>(at_); }

  void fail_expected(std::string_view wanted) {
    constexpr std::string_view kOfPaths = "./\\~";
    const bool path = at_ < text_.size() && kOfPaths.find(text_[at_]) != std::string_view::npos;
    fail(fmt::format("expected {} at {}, found {}{}", wanted, at_, found(),
                     path ? "; a path needs quotes, as file=\"log.csv\"" : ""));
  }
  std::string found() const {
    if (at_ >= text_.size()) return "end of text";
    const char c = text_[at_];
    if (c >= ' ' && c <= '~') return fmt::format("\"{}\"", c);
    return fmt::format("byte {:#04x}", static_cast<unsigned char>(c));  // messages stay text
  }
  void fail(std::string message) {
    if (!error_) error_ = fmt::format("{}: {}", what_, message);
  }

  std::string_view text_;
  std::string_view what_;
  std::size_t at_ = 0;
  std::optional<std::string> error_;
};

Result<> check_size(std::string_view text, std::string_view what) {
  if (text.size() > static_cast<std::size_t>(kMaxSpecBytes)) {
    return Error{
        fmt::format("{}: {} bytes, at most {} are accepted", what, text.size(), kMaxSpecBytes)};
  }
  return {};
}

}  // namespace

Spec::Spec(std::string spec_name) : name(std::move(spec_name)) {}

const SpecValue* Spec::find(std::string_view key) const {
  for (const auto& [name_of_option, value] : options) {
    if (name_of_option == key) return &value;
  }
  return nullptr;
}

void Spec::set(std::string key, SpecValue value) {
  auto place = std::lower_bound(options.begin(), options.end(), key,
                                [](const auto& option, const auto& k) { return option.first < k; });
  if (place != options.end() && place->first == key) {
    place->second = std::move(value);
  } else {
    options.emplace(place, std::move(key), std::move(value));
  }
}

std::string Spec::str() const {
  std::string text = name;
  if (options.empty()) return text;
  char separator = '(';
  for (const auto& [key, value] : options) {
    text += fmt::format("{}{}={}", separator, key, value.str());
    separator = ',';
  }
  return text + ')';
}

Spec Spec::asked() const {
  Spec out = *this;
  std::erase_if(out.options, [](const auto& option) { return option.second.implied; });
  for (auto& option : out.options) {
    SpecValue& value = option.second;
    if (auto* inner = std::get_if<Spec>(&value.is)) *inner = inner->asked();
    auto* list = std::get_if<SpecValue::List>(&value.is);
    if (list == nullptr) continue;
    for (SpecValue& item : *list) {
      if (auto* inner = std::get_if<Spec>(&item.is)) *inner = inner->asked();
    }
  }
  return out;
}

std::string SpecValue::str() const {
  if (const auto* number = std::get_if<double>(&is)) return fmt::format("{}", *number);
  if (const auto* spec = std::get_if<Spec>(&is)) return spec->str();
  if (const auto* quoted = std::get_if<Quoted>(&is)) {
    std::string text = "\"";
    for (char c : quoted->text) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    return text + '"';
  }
  std::string text = "[";
  for (const auto& item : std::get<List>(is)) {
    if (text.size() > 1) text += ',';
    text += item.str();
  }
  return text + ']';
}

Result<Spec> parse_spec(std::string_view text, std::string_view what) {
  if (auto size = check_size(text, what); !size) return size.failure();
  return Parser(text, what).whole();
}

Result<std::vector<Spec>> parse_specs(std::string_view text, std::string_view what) {
  if (auto size = check_size(text, what); !size) return size.failure();
  return Parser(text, what).list();
}

}  // namespace rein
