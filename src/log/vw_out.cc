// Writes Vowpal Wabbit text, with actions that have features. A category becomes one word, name and
// value together, as Vowpal Wabbit reads it from dsjson.
#include <fmt/format.h>

#include <cmath>

#include "log/text_writer.h"

namespace rein {
namespace {

class VwWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

  Result<> add(const LogRow& row, const LogNames& names) override {
    if (std::isnan(row.reward)) {
      notes_.refuse(row.line, "no reward", [] {
        return std::string(
            "a decision without a reward; accepted in text: decisions with their cost");
      });
      return {};
    }
    remark_lost(row, true, true, false, "Vowpal Wabbit text");
    std::string& out = sink_.text();
    const auto shared = context_features(row, names);
    const bool tag = !row.id.empty() && row.id.find_first_of(" \t|:'") == std::string_view::npos;
    if (!shared.empty() || tag) {
      out += "shared ";
      if (tag) out.append("'").append(row.id).append(" ");
      features(out, row, shared);
      if (shared.empty()) out += '|';
      out += '\n';
    }
    for (int place = 0; place < offers_of(row, names); ++place) {
      if (place == row.played) label(out, row);
      const auto own = action_features(row, names, place);
      features(out, row, own);
      if (own.empty()) out += '|';
      out += '\n';
    }
    out += '\n';
    notes_.keep();
    return sink_.flush_some();
  }

 private:
  void label(std::string& out, const LogRow& row) {
    out += "0:";
    append_number(out, 0.0 - row.reward);
    if (!std::isnan(row.propensity)) {
      out += ':';
      append_number(out, row.propensity);
    }
    out += ' ';
  }

  void features(std::string& out, const LogRow& row, const std::vector<NamedFeature>& list) {
    by_space(list, [&](const std::string& space, const auto& group) {
      out += out.empty() || out.back() == '\n' || out.back() == ' ' ? "|" : " |";
      word(out, row, space);
      for (const NamedFeature* feature : group) {
        out += ' ';
        const FeatureName& name = feature->name;
        const bool place = !name.category && is_place(name.name);
        word(out, row, place ? name.name.substr(1, name.name.size() - 2) : name.name);
        if (name.category) word(out, row, name.value);
        if (feature->value == 1.0) continue;
        out += ':';
        append_number(out, feature->value);
      }
    });
  }

  // `[7]`: a number of a list. Its name in text is 7, which has the same hash.
  static bool is_place(const std::string& name) {
    return name.size() > 2 && name.front() == '[' && name.back() == ']' &&
           name.find_first_not_of("0123456789", 1) == name.size() - 1;
  }

  // Text separates words by spaces, colons and bars.
  void word(std::string& out, const LogRow& row, std::string_view text) {
    for (const char c : text) {
      const bool bad = c == ' ' || c == '\t' || c == '|' || c == ':' || c == '\n' || c == '\r';
      out += bad ? '_' : c;
      if (bad && told_ != row.line) {
        told_ = row.line;
        notes_.remark(row.line, "word", [&] {
          return fmt::format(
              "{}: spaces, colons and bars are written as _, as Vowpal Wabbit reads them "
              "from dsjson",
              quoted(text));
        });
      }
    }
  }

  std::int64_t told_ = 0;  // the last row with such a word
};

}  // namespace

MadeWriter write_vw_log(const std::string& path) { return text_writer<VwWriter>(path); }

}  // namespace rein
