// One line of Vowpal Wabbit text: `[label] [tag]|namespace feature feature:value ...`.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "log/known_words.h"
#include "log/name_table.h"
#include "log/row_buffer.h"

namespace rein {

// The words before the first bar.
struct VwHead {
  bool shared = false;
  bool labelled = false;
  bool has_probability = false;
  bool has_bar = false;
  std::string_view tag;
  std::string_view action;  // the number before the cost
  double cost = 0.0;
  double probability = kUnknown;
  std::size_t bar = 0;  // where the features begin
};

// The error says what was found, without the line.
Result<> read_vw_head(std::string_view line, VwHead& head);

// The bytes that end a word, besides the end of the line.
inline constexpr Marks kVwMarks{' ', '|', '\t'};

// Reads features from a line and adds them to `out`. kLinePadding bytes after the line can be read.
class VwFeatures {
 public:
  explicit VwFeatures(FeatureTable& table) : table_(table) {}
  using Ends = std::span<const char* const>;
  // `at` is a bar, or the end of the line. `ends` are the kVwMarks of the line and its end.
  Result<> read(const char* at, Ends ends, FeatureList& out);

 private:
  const FeatureTable::Start* recent_space(const char* at) const;
  Result<> read_rest(const char* at, Ends ends, std::int32_t space, FeatureList& out);
  // After a bar.
  Result<> read_space(const char*& at, const char* end, std::int32_t& space, double& scale);
  bool read_expected(const char* at, const char* end, std::int32_t space, double scale,
                     FeatureList& out);
  Result<> read_feature(const char*& at, const char* end, std::int32_t space, double scale,
                        FeatureList& out);
  FeatureTable& table_;
  std::size_t unnamed_ = 0;  // features without a name, so far in this namespace
  // How namespaces began lately: `|name `.
  std::array<FeatureTable::Start, 4> recent_;
  std::size_t next_recent_ = 0;
};

}  // namespace rein
