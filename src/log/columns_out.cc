// Writes the file of columns (columns.h).
#include <algorithm>
#include <map>

#include "base/atomic_file.h"
#include "base/size.h"
#include "log/columns.h"
#include "log/notes.h"
#include "log/readers.h"

namespace rein {
namespace {

// The different lists of a block, each stored once, and for each row the number of its list.
class Patterns {
 public:
  void add(std::span<const std::int32_t> begin, std::span<const std::int32_t> index) {
    std::vector<std::int32_t> key{static_cast<std::int32_t>(begin.size())};
    key.insert(key.end(), begin.begin(), begin.end());
    key.insert(key.end(), index.begin(), index.end());
    // Mostly the list of the row before.
    if (rows_.empty() || key != last_) {
      const auto [at, news] = numbers_.emplace(key, static_cast<std::int64_t>(numbers_.size()));
      if (news) keys_.push_back(at->first);
      last_number_ = at->second;
      last_ = std::move(key);
    }
    rows_.push_back(last_number_);
  }
  void write(ColumnsOut& out) {
    out.word(keys_.size());
    for (const auto& key : keys_) {
      const std::size_t begins = as_size(key[0]);
      out.word(begins);
      out.ids(std::span(key).subspan(1, begins));
      out.word(key.size() - 1 - begins);
      out.ids(std::span(key).subspan(1 + begins));
    }
    out.whole(rows_);
    *this = Patterns();
  }

 private:
  std::map<std::vector<std::int32_t>, std::int64_t> numbers_;
  std::vector<std::vector<std::int32_t>> keys_;
  std::vector<std::int64_t> rows_;
  std::vector<std::int32_t> last_;
  std::int64_t last_number_ = 0;
};

class ColumnsWriter final : public LogWriter {
 public:
  ColumnsWriter(PieceFile file, const std::string& path) : notes_(path), file_(std::move(file)) {}

  Result<> add(const LogRow& row, const LogNames& names) override {
    // Every row of a block has the same number of context numbers and costs.
    if (!played_.empty() &&
        (row.context.size() != context_width_ || row.costs.size() != cost_width_)) {
      if (auto flushed = flush(); !flushed) return flushed;
    }
    context_width_ = row.context.size();
    cost_width_ = row.costs.size();
    played_.push_back(row.played);
    actions_.push_back(row.actions);
    propensity_.push_back(row.propensity);
    reward_.push_back(row.reward);
    weight_.push_back(row.weight);
    time_.push_back(row.time);
    append(context_, row.context);
    append(costs_, row.costs);
    id_ends_.push_back(static_cast<std::int64_t>(ids_.append(row.id).size()));
    offers_.add({}, row.offered);
    has_probabilities_.push_back(row.probabilities.empty() ? 0 : 1);
    append(probabilities_, row.probabilities);
    shared_.add({}, row.shared.index);
    append(shared_values_, row.shared.value);
    features_.add(row.features.begin, row.features.index);
    append(feature_values_, row.features.value);
    names_ = &names;
    notes_.keep();
    const bool full =
        played_.size() >= kBlockRows ||
        context_.size() + shared_values_.size() + feature_values_.size() >= kBlockValues;
    return full ? flush() : Result<>();
  }

  Result<> finish() override {
    if (auto flushed = flush(); !flushed) return flushed;
    const std::uint64_t place = place_;
    payload_.clear();
    ColumnsOut out(payload_);
    const LogNames none;
    const LogNames& names = names_ == nullptr ? none : *names_;
    for (const auto* list : {&names.context, &names.actions, &names.costs}) {
      out.word(list->size());
      for (const std::string& name : *list) out.text(name);
    }
    out.word(names.features.size());
    for (const FeatureName& name : names.features) {
      out.text(name.space);
      out.text(name.name);
      out.word(name.category ? 1 : 0);
      if (name.category) out.text(name.value);
    }
    if (auto written = block(kNamesBlock, 0); !written) return written;
    std::string end;
    ColumnsOut tail(end);
    tail.word(place);
    tail.word(static_cast<std::uint64_t>(notes_.report().kept));
    tail.word(block_checksum(end, place_));
    end += kColumnsEnd;
    if (auto written = file_.write(end); !written) return written;
    return file_.finish();
  }
  const LogReport& report() const override { return notes_.report(); }

 private:
  template <class T>
  static void append(std::vector<T>& to, std::span<const T> from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  Result<> block(std::uint32_t kind, std::size_t rows) {
    if (place_ == 0) {
      if (auto written = file_.write(kColumnsMagic); !written) return written;
      place_ = kColumnsMagic.size();
    }
    std::string head;
    ColumnsOut out(head);
    out.word(kind | static_cast<std::uint64_t>(rows) << 32);
    out.word(payload_.size());
    out.word(block_checksum(payload_, place_));
    if (auto written = file_.write(head); !written) return written;
    place_ += head.size() + payload_.size();
    return file_.write(payload_);
  }

  Result<> flush() {
    if (place_ == 0 && played_.empty()) return block(kRowsBlock, 0);
    if (played_.empty()) return {};
    payload_.clear();
    ColumnsOut out(payload_);
    out.whole(played_);
    out.whole(actions_);
    out.numbers(propensity_);
    out.numbers(reward_);
    out.numbers(weight_);
    out.whole(time_);
    out.word(context_width_);
    out.numbers(context_);
    out.word(cost_width_);
    out.numbers(costs_);
    out.whole(id_ends_);
    out.text(ids_);
    offers_.write(out);
    out.whole(has_probabilities_);
    out.numbers(probabilities_);
    shared_.write(out);
    out.numbers(shared_values_);
    features_.write(out);
    out.numbers(feature_values_);
    const std::size_t rows = played_.size();
    for (auto* list : {&played_, &actions_, &time_, &id_ends_, &has_probabilities_}) list->clear();
    for (auto* list : {&propensity_, &reward_, &weight_, &context_, &costs_, &probabilities_,
                       &shared_values_, &feature_values_}) {
      list->clear();
    }
    ids_.clear();
    return block(kRowsBlock, rows);
  }

  Notes notes_;
  PieceFile file_;
  std::uint64_t place_ = 0;  // in the file
  std::string payload_;
  const LogNames* names_ = nullptr;
  std::vector<std::int64_t> played_, actions_, time_, id_ends_, has_probabilities_;
  std::vector<double> propensity_, reward_, weight_, context_, costs_, probabilities_,
      shared_values_, feature_values_;
  std::string ids_;
  std::size_t context_width_ = 0, cost_width_ = 0;
  Patterns offers_, shared_, features_;
};

}  // namespace

MadeWriter write_columns_log(const std::string& path) {
  auto file = PieceFile::open(path);
  if (!file) return file.failure();
  return std::make_unique<ColumnsWriter>(std::move(file).value(), path);
}

}  // namespace rein
