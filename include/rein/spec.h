// Spec: a text that names a thing and its options, the same in C++, Python, files and the command
// line.
//
//     spec  := name [ "(" key "=" value { "," key "=" value } ")" ]
//     value := number | word | "quoted text" | "[" value { "," value } "]" | spec
//
//     ccb(budget=1000,oracle=vaw(reg=0.5),rounds=50000)
//
// A spec prints the keys that were set, sorted, and the printed text parses back to the same spec.
// A word is a spec without options. Inside quotes, \" and \\ stand for " and \.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rein/result.h"

namespace rein {

struct SpecValue;

struct Spec {
  std::string name;
  // Sorted by key; each key appears once.
  std::vector<std::pair<std::string, SpecValue>> options;
  // Byte offset of the name in the parsed text, for messages; -1 if the spec was not parsed.
  int at = -1;

  // Defined below, where SpecValue is complete: a vector of an incomplete type may only be
  // declared.
  Spec() noexcept;
  explicit Spec(std::string spec_name);  // a word
  Spec(const Spec&);
  Spec(Spec&&) noexcept;
  Spec& operator=(const Spec&);
  Spec& operator=(Spec&&) noexcept;
  ~Spec();
  const SpecValue* find(std::string_view key) const;
  // Sets or replaces an option.
  void set(std::string key, SpecValue value);
  std::string str() const;
  // Without the options that nobody wrote (SpecValue::implied), here and inside values.
  Spec asked() const;
};

struct SpecValue {
  struct Quoted {
    std::string text;
  };
  using List = std::vector<SpecValue>;
  std::variant<double, Quoted, List, Spec> is;
  int key_at = -1;  // offset of the key that this is the value of
  int at = -1;      // offset of the value itself
  // Whether this option was added because an older meaning of the spec had another default
  // (rein/meaning.h).
  bool implied = false;

  std::string str() const;
};

inline Spec::Spec() noexcept = default;
inline Spec::Spec(const Spec&) = default;
inline Spec::Spec(Spec&&) noexcept = default;
inline Spec& Spec::operator=(const Spec&) = default;
inline Spec& Spec::operator=(Spec&&) noexcept = default;
inline Spec::~Spec() = default;

// Deeper nesting or longer text is refused.
inline constexpr int kMaxSpecDepth = 16;
inline constexpr int kMaxSpecBytes = 65'536;

// `what` starts every message: "policy spec: expected ")" at 7, found end of text". Offsets count
// bytes from 0.
Result<Spec> parse_spec(std::string_view text, std::string_view what = "spec");
// Several specs separated by commas, as in --policies 'ccb,squarecb(gamma=5)'.
Result<std::vector<Spec>> parse_specs(std::string_view text, std::string_view what = "spec");

}  // namespace rein
