// The kinds of columns and their keys: ColumnEncoder::make.
#include <fmt/format.h>

#include "base/shown.h"
#include "base/spec_reader.h"
#include "schema/column_encoder.h"
#include "schema/text_hash.h"

namespace rein {
namespace {

constexpr int kUsualCategories = 32;
constexpr int kUsualCategoryBuckets = 4;
constexpr int kUsualTextBuckets = 64;
constexpr double kUsualClip = 10.0;
constexpr double kMaxClip = 1e6;

// "category(32)" as "category(most=32)", and "text(64)" as "text(buckets=64)".
std::string with_key(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t first =
      open == std::string_view::npos ? open : text.find_first_not_of(" \t\n", open + 1);
  if (first == std::string_view::npos || text[first] < '0' || text[first] > '9') {
    return std::string(text);
  }
  std::string_view name = text.substr(0, open);
  while (name.ends_with(' ')) name.remove_suffix(1);
  while (name.starts_with(' ')) name.remove_prefix(1);
  if (name != "category" && name != "text") return std::string(text);
  return fmt::format("{}({}={}", name, name == "text" ? "buckets" : "most", text.substr(first));
}

// The names in of=["DE","FR"]; a word, a text or a number each.
std::vector<std::string> read_categories(SpecReader& read) {
  const SpecValue* value = read.value("of");
  if (value == nullptr) return {};
  std::vector<std::string> names;
  const auto* list = std::get_if<SpecValue::List>(&value->is);
  for (const SpecValue& item : list ? *list : SpecValue::List{}) {
    const auto* quoted = std::get_if<SpecValue::Quoted>(&item.is);
    names.push_back(quoted ? quoted->text : item.str());
  }
  if (names.empty()) read.wrong("of", *value, "a list of categories, as [\"DE\",\"FR\"]");
  return names;
}

Result<> check_name(const std::string& name) {
  if (!name.empty() && name.size() <= static_cast<std::size_t>(kMaxColumnNameBytes)) return {};
  return Error{fmt::format("schema: found a column name of {} bytes; accepted: 1 to {}",
                           name.size(), kMaxColumnNameBytes)};
}

}  // namespace

Result<ColumnEncoder> ColumnEncoder::make(const Column& column) {
  if (auto ok = check_name(column.name); !ok) return ok.failure();
  const std::string what = fmt::format("schema: column \"{}\"", shown(column.name));
  auto parsed = parse_spec(with_key(column.kind), what);
  if (!parsed) return parsed.failure();
  ColumnEncoder made;
  if (auto ok = made.read_options(parsed.value(), what); !ok) return ok.failure();
  made.column_ = {column.name, parsed.value().str()};
  return made;
}

Result<> ColumnEncoder::read_options(const Spec& spec, std::string_view what) {
  SpecReader read(spec, what);
  missing_ = read.flag("missing", false);
  if (spec.name == "number") {
    kind_ = ColumnKind::kNumber;
    scaled_ = read.word("scale", "online", {"online", "none"}) == "online";
    clip_ = read.number("clip", kUsualClip, {.above = 0.0, .high = kMaxClip});
    if (!scaled_ && read.has("clip")) read.refuse("key \"clip\" needs scale=online");
  } else if (spec.name == "bool") {
    kind_ = ColumnKind::kBool;
  } else if (spec.name == "text") {
    kind_ = ColumnKind::kText;
    own_ = 0;
    buckets_ = static_cast<std::size_t>(read.integer("buckets", kUsualTextBuckets, 1, kMaxBuckets));
    signed_ = read.flag("signed", true);
  } else if (spec.name == "category") {
    kind_ = ColumnKind::kCategory;
    const std::vector<std::string> of = read_categories(read);
    const int named = static_cast<int>(of.size());
    if (named > kMaxCategories) {
      read.refuse(fmt::format("key \"of\" names {} categories; accepted: at most {}", named,
                              kMaxCategories));
      return read.finish();
    }
    const int categories_most = static_cast<int>(read.integer(
        "most", named > 0 ? named : kUsualCategories, std::max(named, 1), kMaxCategories));
    buckets_ = static_cast<std::size_t>(
        read.integer("buckets", named > 0 ? 1 : kUsualCategoryBuckets, 0, kMaxBuckets));
    own_ = static_cast<std::size_t>(categories_most);
    categories_ = Categories(categories_most);
    for (const std::string& name : of) {
      const std::uint64_t hash = text_hash(name);
      if (is_new(name, hash)) {
        categories_.add(name, hash);
      } else {
        read.refuse(fmt::format("key \"of\" has \"{}\"; accepted: different texts of 1 to {} bytes",
                                shown(name), kMaxCategoryBytes));
      }
    }
  } else {
    return Error{fmt::format("{}: unknown kind \"{}\"; accepted: number, bool, category, text",
                             what, shown(spec.name))};
  }
  return read.finish();
}

}  // namespace rein
