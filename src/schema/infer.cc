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

struct Tally {
  std::int64_t missing = 0, numbers = 0, booleans = 0, texts = 0, several_words = 0;
  std::map<std::string_view, std::int64_t> counts;  // of texts
};

Tally look_at(const ColumnValues& values) {
  Tally tally;
  if (!values.codes.empty()) {  // a word may be there often; it is looked at once
    std::vector<std::int64_t> counts(values.words.size());
    for (const std::int32_t code : values.codes) {
      if (code >= 0 && static_cast<std::size_t>(code) < counts.size()) {
        ++counts[static_cast<std::size_t>(code)];
      } else {
        ++tally.missing;
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (values.words[i].empty()) {
        tally.missing += counts[i];
        continue;
      }
      tally.counts[values.words[i]] += counts[i];  // declared categories count even if never met
      tally.texts += counts[i];
      if (has_several_words(values.words[i])) tally.several_words += counts[i];
    }
    return tally;
  }
  for (std::size_t row = 0; row < values.size(); ++row) {
    const Cell cell = values.at(row);
    if (cell.kind == Cell::Kind::kNone) ++tally.missing;
    if (cell.kind == Cell::Kind::kNumber) ++tally.numbers;
    if (cell.kind == Cell::Kind::kBool) ++tally.booleans;
    if (cell.kind != Cell::Kind::kText) continue;
    ++tally.texts;
    ++tally.counts[cell.text];
    if (has_several_words(cell.text)) ++tally.several_words;
  }
  return tally;
}

// The most frequent texts, in alphabetical order.
std::vector<std::string_view> frequent(const Tally& tally) {
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  for (const auto& [text, count] : tally.counts) {
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
  const Tally tally = look_at(values);
  Spec kind("number");
  if (tally.texts > 0 || !tally.counts.empty()) {
    const bool text =
        tally.counts.size() > kNamedCategories && 2 * tally.several_words > tally.texts;
    kind.name = text ? "text" : "category";
    SpecValue::List of;
    for (const std::string_view frequent_text : frequent(tally)) {
      of.push_back({.is = SpecValue::Quoted{std::string(frequent_text)}});
    }
    if (!text && !of.empty()) {
      if (tally.counts.size() > of.size()) {
        kind.set("buckets", {.is = static_cast<double>(kInferredBuckets)});
      }
      kind.set("of", {.is = std::move(of)});
    }
  } else if (tally.booleans > 0 && tally.numbers == 0) {
    kind.name = "bool";
  }
  if (tally.missing > 0) kind.set("missing", {.is = 1.0});
  return {std::move(name), kind.str()};
}

}  // namespace rein
