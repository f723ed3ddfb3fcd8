// Reads the file of columns (columns.h), one block at a time.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/size.h"
#include "log/columns.h"
#include "log/notes.h"
#include "log/readers.h"

namespace rein {
namespace {

class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(OpenFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  OpenFile& operator=(OpenFile&&) = delete;
  int get() const { return file_; }
  // All of `bytes` at `place`; false if they are not there.
  bool read(char* out, std::size_t bytes, std::uint64_t place) const {
    while (bytes > 0) {
      const ssize_t n = ::pread(file_, out, bytes, static_cast<off_t>(place));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      out += n;
      bytes -= static_cast<std::size_t>(n);
      place += static_cast<std::uint64_t>(n);
    }
    return true;
  }

 private:
  int file_;
};

// Lists that rows of a block share.
struct ReadPatterns {
  std::vector<std::vector<std::int32_t>> begin, index;
  std::vector<std::int64_t> rows;

  void read(ColumnsIn& in, std::size_t count, std::int64_t below) {
    const std::size_t lists = in.length(count);
    begin.resize(lists);
    index.resize(lists);
    for (std::size_t i = 0; i < lists && in.ok(); ++i) {
      const std::size_t begins = in.length(as_size(kMaxActions) + 1);
      in.ids(begins, std::int64_t{1} << 31, begin[i]);
      const std::size_t size = in.length(kMaxLogFeatures);
      in.ids(size, below, index[i]);
      if (!in.ok()) return;
      const auto& b = begin[i];
      const bool fine = b.empty() || (b.front() == 0 && as_size(b.back()) == size &&
                                      std::is_sorted(b.begin(), b.end()));
      if (!fine) in.fail();
    }
    in.whole(count, rows);
    for (const std::int64_t each : rows) {
      if (each < 0 || as_size(each) >= lists) in.fail();
    }
  }
  const std::vector<std::int32_t>& begin_of(std::size_t row) const {
    return begin[as_size(rows[row])];
  }
  const std::vector<std::int32_t>& index_of(std::size_t row) const {
    return index[as_size(rows[row])];
  }
  // Entries of all rows together.
  std::size_t total() const {
    std::size_t sum = 0;
    for (const std::int64_t each : rows) sum += index[as_size(each)].size();
    return sum;
  }
};

class ColumnsLog final : public LogReader {
 public:
  ColumnsLog(OpenFile file, std::string path) : file_(std::move(file)), path_(path), notes_(path) {}

  Result<> open() {
    struct stat found {};
    if (::fstat(file_.get(), &found) != 0 || !S_ISREG(found.st_mode)) {
      return wrong("is not a regular file; accepted: a file that rein convert wrote");
    }
    size_ = static_cast<std::uint64_t>(found.st_size);
    char start[8], end[kEndBytes];
    if (size_ < sizeof start + kHeadBytes + kEndBytes || !file_.read(start, sizeof start, 0) ||
        std::string_view(start, sizeof start) != kColumnsMagic) {
      return wrong("does not begin with REINLOG1; accepted: a file that rein convert wrote");
    }
    if (!file_.read(end, sizeof end, size_ - kEndBytes) ||
        std::string_view(end + kEndBytes - 8, 8) != kColumnsEnd) {
      return wrong("its end is missing: it was cut off");
    }
    ColumnsIn in(std::string_view(end, 24));
    names_at_ = in.word();
    rows_ = in.word();
    if (in.word() != block_checksum({end, 16}, size_ - kEndBytes)) {
      return wrong("its end is damaged: the checksum differs");
    }
    return read_names();
  }

  // Passes over rows. Blocks that hold nothing else are not read.
  Result<> skip(std::uint64_t rows) {
    while (rows > 0 && place_ != names_at_) {
      const auto block = head(names_at_, kRowsBlock);
      if (!block) return block.failure();
      if (block.value().rows > rows) break;
      place_ += kHeadBytes + block.value().bytes;
      seen_ += block.value().rows;
      rows -= block.value().rows;
    }
    if (rows == 0 || place_ == names_at_) return {};
    if (auto read = read_block(); !read) return read.failure();
    LogRow row;
    for (; rows > 0; --rows, ++at_) show(row);
    return {};
  }

  Result<bool> next(LogRow& row) override {
    while (at_ == count_) {
      if (place_ == names_at_) {
        if (seen_ != rows_) return wrong(fmt::format("has {} rows; its end says {}", seen_, rows_));
        return false;
      }
      if (auto read = read_block(); !read) return read.failure();
    }
    show(row);
    ++at_;
    notes_.keep();
    return true;
  }
  const LogNames& names() const override { return names_; }
  const LogReport& report() const override { return notes_.report(); }
  std::int64_t rows() const override { return static_cast<std::int64_t>(rows_); }
  std::int64_t bytes_read() const override { return static_cast<std::int64_t>(place_); }
  std::int64_t bytes() const override { return static_cast<std::int64_t>(size_); }

 private:
  Error wrong(std::string_view message) const {
    return Error{fmt::format("log {}: {}", path_, message), Reason::kCorrupt};
  }
  Error damaged() const { return wrong(fmt::format("the block at byte {} is damaged", place_)); }

  struct Head {
    std::size_t rows;
    std::uint64_t bytes, checksum;
  };
  // The head of the block at place_, which must end at `limit` at the latest.
  Result<Head> head(std::uint64_t limit, std::uint32_t kind) const {
    char bytes[kHeadBytes];
    if (place_ + kHeadBytes > limit || !file_.read(bytes, sizeof bytes, place_)) return damaged();
    ColumnsIn in(std::string_view(bytes, sizeof bytes));
    const std::uint64_t first = in.word();
    const Head out{static_cast<std::size_t>(first >> 32), in.word(), in.word()};
    if ((first & 0xffffffffU) != kind || out.bytes > kMostBlockBytes || out.rows > kBlockRows ||
        out.bytes > limit - place_ - kHeadBytes) {
      return damaged();
    }
    return out;
  }

  // The payload of the block at place_.
  Result<std::string_view> payload(std::uint64_t limit, std::uint32_t kind, std::size_t& rows) {
    const auto found_head = head(limit, kind);
    if (!found_head) return found_head.failure();
    const auto [count, bytes, checksum] = found_head.value();
    rows = count;
    if (buffer_.size() < bytes) buffer_.resize(bytes);
    if (!file_.read(buffer_.data(), bytes, place_ + kHeadBytes)) return damaged();
    const std::string_view found(buffer_.data(), bytes);
    if (block_checksum(found, place_) != checksum) {
      return wrong(fmt::format("the block at byte {} is damaged: the checksum differs", place_));
    }
    return found;
  }

  Result<> read_names() {
    place_ = names_at_;
    std::size_t rows = 0;
    auto found = payload(size_ - kEndBytes, kNamesBlock, rows);
    if (!found) return found.failure();
    ColumnsIn in(found.value());
    for (auto* list : {&names_.context, &names_.actions, &names_.costs}) {
      const std::size_t count = in.length(kMaxLogNames);
      for (std::size_t i = 0; i < count && in.ok(); ++i) list->emplace_back(in.text());
    }
    const std::size_t features = in.length(kMaxLogNames);
    for (std::size_t i = 0; i < features && in.ok(); ++i) {
      FeatureName name;
      name.space = in.text();
      name.name = in.text();
      name.category = in.word() != 0;
      if (name.category) name.value = in.text();
      names_.features.push_back(std::move(name));
    }
    if (!in.done()) return damaged();
    place_ = kColumnsMagic.size();
    return {};
  }

  Result<> read_block() {
    auto found = payload(names_at_, kRowsBlock, count_);
    if (!found) return found.failure();
    at_ = context_at_ = shared_at_ = feature_at_ = probability_at_ = 0;
    ColumnsIn in(found.value());
    if (count_ > 0) decode(in);
    if (!in.ok() || (count_ > 0 && !in.done()) || (count_ > 0 && !fits())) {
      count_ = 0;
      return damaged();
    }
    place_ += kHeadBytes + found.value().size();
    return {};
  }

  void decode(ColumnsIn& in) {
    const std::size_t n = count_;
    in.whole(n, played_);
    in.whole(n, actions_);
    in.numbers(n, propensity_, false);
    in.numbers(n, reward_, false);
    in.numbers(n, weight_, true);
    in.whole(n, time_);
    context_width_ = in.length(names_.context.size());
    in.numbers(n * context_width_, context_, true);
    cost_width_ = in.length(names_.costs.size());
    in.numbers(n * cost_width_, costs_, false);
    in.whole(n, id_ends_);
    ids_ = in.text();
    const auto actions_most = names_.actions.empty() ? std::int64_t{kMaxActions}
                                             : static_cast<std::int64_t>(names_.actions.size());
    offers_.read(in, n, actions_most);
    in.whole(n, has_probabilities_);
    std::size_t probabilities = 0;
    for (std::size_t i = 0; i < n && in.ok(); ++i) {
      if (actions_[i] < 0 || actions_[i] > kMaxActions) in.fail();
      if (has_probabilities_[i] != 0) probabilities += as_size(actions_[i]);
    }
    if (!in.ok()) return;
    in.numbers(probabilities, probabilities_, false);
    const auto names = static_cast<std::int64_t>(names_.features.size());
    shared_.read(in, n, names);
    if (in.ok()) in.numbers(shared_.total(), shared_values_, true);
    features_.read(in, n, names);
    if (in.ok()) in.numbers(features_.total(), feature_values_, true);
  }

  // Whether rows refer only to what is there.
  bool fits() const {
    std::int64_t id = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto offered = offers_.index_of(i).size();
      const auto begins = features_.begin_of(i).size();
      const std::int64_t actions_most =
          actions_[i] > 0 ? actions_[i] : static_cast<std::int64_t>(names_.actions.size());
      if (played_[i] < 0 || played_[i] >= actions_most) return false;
      if (offered != 0 && offered != as_size(actions_[i])) return false;
      if (begins != 0 && begins != as_size(actions_[i]) + 1) return false;
      if (propensity_[i] <= 0.0 || propensity_[i] > 1.0 || !(weight_[i] > 0.0)) return false;
      if (id_ends_[i] < id || as_size(id_ends_[i]) > ids_.size()) return false;
      id = id_ends_[i];
    }
    return true;
  }

  void show(LogRow& row) {
    const std::size_t i = at_;
    row.line = static_cast<std::int64_t>(++seen_);
    row.actions = static_cast<int>(actions_[i]);
    row.played = static_cast<int>(played_[i]);
    row.propensity = propensity_[i];
    row.reward = reward_[i];
    row.weight = weight_[i];
    row.time = time_[i];
    const std::size_t id = i == 0 ? 0 : as_size(id_ends_[i - 1]);
    row.id = ids_.substr(id, as_size(id_ends_[i]) - id);
    row.context = {context_.data() + context_at_, context_width_};
    context_at_ += context_width_;
    row.costs = {costs_.data() + i * cost_width_, cost_width_};
    row.offered = offers_.index_of(i);
    const std::size_t p = has_probabilities_[i] != 0 ? as_size(actions_[i]) : 0;
    row.probabilities = {probabilities_.data() + probability_at_, p};
    probability_at_ += p;
    const auto& shared = shared_.index_of(i);
    row.shared = {shared, {shared_values_.data() + shared_at_, shared.size()}};
    shared_at_ += shared.size();
    const auto& features = features_.index_of(i);
    row.features = {
        features_.begin_of(i), features, {feature_values_.data() + feature_at_, features.size()}};
    feature_at_ += features.size();
  }

  OpenFile file_;
  std::string path_;
  Notes notes_;
  LogNames names_;
  std::uint64_t size_ = 0, names_at_ = 0, rows_ = 0, place_ = 0, seen_ = 0;
  std::vector<char> buffer_;
  std::size_t count_ = 0, at_ = 0;  // rows of the block
  std::vector<std::int64_t> played_, actions_, time_, id_ends_, has_probabilities_;
  std::vector<double> propensity_, reward_, weight_, context_, costs_, probabilities_,
      shared_values_, feature_values_;
  std::string_view ids_;
  ReadPatterns offers_, shared_, features_;
  std::size_t context_width_ = 0, cost_width_ = 0;
  std::size_t context_at_ = 0, shared_at_ = 0, feature_at_ = 0, probability_at_ = 0;
};

}  // namespace

MadeReader read_columns_log(const std::string& path, const LogOptions& options) {
  const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (handle < 0) {
    return Error{fmt::format("log {}: cannot be opened: {}", path, std::strerror(errno))};
  }
  auto reader = std::make_unique<ColumnsLog>(OpenFile(handle), path);
  if (auto opened = reader->open(); !opened) return opened.failure();
  const auto skip = static_cast<std::uint64_t>(std::max<std::int64_t>(options.skip, 0));
  if (auto skipped = reader->skip(skip); !skipped) return skipped.failure();
  return reader;
}

}  // namespace rein
