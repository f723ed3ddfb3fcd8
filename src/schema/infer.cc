// infer_column: which kind of column fits values.
#include <algorithm>
#include <map>

#include "rein/schema.h"
#include "rein/spec.h"
#include "schema/words.h"

namespace rein {
namespace {

constexpr std::size_t kNamedCategories = 32;
constexpr int kInferredBuckets = 8;

struct Seen {
  std::int64_t missing = 0, numbers = 0, booleans = 0, texts = 0, several_words = 0;
  std::map<std::string_view, std::int64_t> counts;  // of texts
};

Seen look_at(const ColumnValues& values) {
  Seen seen;
  if (!values.codes.empty()) {  // a word may be there often; it is looked at once
    std::vector<std::int64_t> counts(values.words.size());
    for (const std::int32_t code : values.codes) {
      if (code >= 0 && static_cast<std::size_t>(code) < counts.size()) {
        ++counts[static_cast<std::size_t>(code)];
      } else {
        ++seen.missing;
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (values.words[i].empty()) {
        seen.missing += counts[i];
        continue;
      }
      seen.counts[values.words[i]] += counts[i];  // declared categories count even if never met
      seen.texts += counts[i];
      if (has_several_words(values.words[i])) seen.several_words += counts[i];
    }
    return seen;
  }
  for (std::size_t row = 0; row < values.size(); ++row) {
    const Cell cell = values.at(row);
    if (cell.kind == Cell::Kind::kNone) ++seen.missing;
    if (cell.kind == Cell::Kind::kNumber) ++seen.numbers;
    if (cell.kind == Cell::Kind::kBool) ++seen.booleans;
    if (cell.kind != Cell::Kind::kText) continue;
    ++seen.texts;
    ++seen.counts[cell.text];
    if (has_several_words(cell.text)) ++seen.several_words;
  }
  return seen;
}

// The most frequent texts, in alphabetical order.
std::vector<std::string_view> frequent(const Seen& seen) {
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  for (const auto& [text, count] : seen.counts) {
    if (text.size() <= static_cast<std::size_t>(kMaxCategoryBytes))
      order.emplace_back(-count, text);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kNamedCategories));
  std::vector<std::string_view> texts;
  for (const auto& [count, text] : order) texts.push_back(text);
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace

Column infer_column(std::string name, const ColumnValues& values) {
  const Seen seen = look_at(values);
  Spec kind("number");
  if (seen.texts > 0 || !seen.counts.empty()) {
    const bool text = seen.counts.size() > kNamedCategories && 2 * seen.several_words > seen.texts;
    kind.name = text ? "text" : "category";
    SpecValue::List of;
    for (const std::string_view one : frequent(seen)) {
      of.push_back({.is = SpecValue::Quoted{std::string(one)}});
    }
    if (!text && !of.empty()) {
      if (seen.counts.size() > of.size()) {
        kind.set("buckets", {.is = static_cast<double>(kInferredBuckets)});
      }
      kind.set("of", {.is = std::move(of)});
    }
  } else if (seen.booleans > 0 && seen.numbers == 0) {
    kind.name = "bool";
  }
  if (seen.missing > 0) kind.set("missing", {.is = 1.0});
  return {std::move(name), kind.str()};
}

}  // namespace rein
