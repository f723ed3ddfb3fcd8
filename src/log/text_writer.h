// TextWriter: what writers of text have in common. FeatureGroups: features by namespace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "log/notes.h"
#include "log/readers.h"
#include "log/row_buffer.h"
#include "log/text_sink.h"

namespace rein {

class TextWriter : public LogWriter {
 public:
  TextWriter(TextSink sink, const std::string& path) : notes_(path), sink_(std::move(sink)) {}
  Result<> finish() override { return sink_.finish(); }
  const LogReport& report() const override { return notes_.report(); }

 protected:
  // Remarks parts of a row that this format has no place for.
  void remark_lost(const LogRow& row, bool costs, bool weight, bool id, std::string_view format);
  Notes notes_;
  TextSink sink_;
};

// A writer of text to a new file.
template <class Writer>
MadeWriter text_writer(const std::string& path) {
  auto sink = TextSink::open(path);
  if (!sink) return sink.failure();
  return std::make_unique<Writer>(std::move(sink).value(), path);
}

// The name of an action: its own, or its number.
std::string action_name(std::int32_t id, const LogNames& names);
// How many actions the row offers, and the id of each.
int offers_of(const LogRow& row, const LogNames& names);

// A feature for a writer. An action without features is known by its name: Action^id=NAME.
struct NamedFeature {
  FeatureName name;
  double value;
};
// The features of the context; dense features have the namespace x.
std::vector<NamedFeature> context_features(const LogRow& row, const LogNames& names);
std::vector<NamedFeature> action_features(const LogRow& row, const LogNames& names, int place);
// The name of an action whose only feature this is: NAME of Action^id=NAME, else the feature as
// text.
std::string name_by_feature(const FeatureName& feature);

// Calls each(space, features of that space), in the order in which namespaces appear.
template <class Each>
void by_space(const std::vector<NamedFeature>& features, const Each& each) {
  std::vector<std::pair<const std::string*, std::vector<const NamedFeature*>>> groups;
  for (const NamedFeature& feature : features) {
    std::size_t g = 0;
    while (g < groups.size() && *groups[g].first != feature.name.space) ++g;
    if (g == groups.size()) groups.push_back({&feature.name.space, {}});
    groups[g].second.push_back(&feature);
  }
  for (const auto& [space, list] : groups) each(*space, list);
}

// A finite number, in the shortest form that reads back exactly.
void append_number(std::string& out, double number);

}  // namespace rein
