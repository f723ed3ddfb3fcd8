// Spec: the text that names a thing and its options, the same everywhere rein is used.
//
//     spec  := name [ "(" key "=" value { "," key "=" value } ")" ]
//     value := number | word | "quoted text" | "[" value { "," value } "]" | spec
//
//     ccb(budget=1000,oracle=vaw(reg=0.5),rounds=50000)
//
// Printing gives the keys that were set, sorted, and parses back to the same thing. A word is a
// spec without options. Inside quotes, \" and \\ stand for " and \.
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
  // Sorted by key, no key twice.
  std::vector<std::pair<std::string, SpecValue>> options;
  // Where the name and the keys stood in the text that was parsed, for messages; -1 when made.
  int at = -1;

  // Defined below, where SpecValue is complete: a vector of an incomplete type may only be named.
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
};

struct SpecValue {
  struct Quoted {
    std::string text;
  };
  using List = std::vector<SpecValue>;
  std::variant<double, Quoted, List, Spec> is;
  int key_at = -1;  // offset of the key that this is the value of
  int at = -1;      // offset of the value itself

  std::string str() const;
};

inline Spec::Spec() noexcept = default;
inline Spec::Spec(const Spec&) = default;
inline Spec::Spec(Spec&&) noexcept = default;
inline Spec& Spec::operator=(const Spec&) = default;
inline Spec& Spec::operator=(Spec&&) noexcept = default;
inline Spec::~Spec() = default;

// Nesting deeper than this, or longer text, is refused.
inline constexpr int kMaxSpecDepth = 16;
inline constexpr int kMaxSpecBytes = 65'536;

// `what` opens every message: "policy spec: expected ")" at 7, found end of text". Offsets count
// bytes from 0.
Result<Spec> parse_spec(std::string_view text, std::string_view what = "spec");
// Several specs with commas between, as in --policies 'ccb,squarecb(gamma=5)'.
Result<std::vector<Spec>> parse_specs(std::string_view text, std::string_view what = "spec");

}  // namespace rein
