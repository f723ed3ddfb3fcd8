#include "http/lines.h"

namespace rein::serve {

std::optional<std::string_view> LineCutter::next() {
  const std::size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    buffer_.erase(0, begin_);
    begin_ = 0;
    scanned_ = buffer_.size();
    return std::nullopt;
  }
  std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = scanned_ = end + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void LineCutter::clear() {
  std::string().swap(buffer_);  // idle connections keep no memory
  begin_ = scanned_ = 0;
}

void AnswerQueue::expect(std::uint64_t number) {
  if (waiting_.empty()) first_ = number;
  waiting_.emplace_back();
}

void AnswerQueue::fill(std::uint64_t number, std::string line) {
  if (number < first_ || number - first_ >= waiting_.size()) return;
  auto& place = waiting_[number - first_];
  if (!place) place = std::move(line);
}

void AnswerQueue::pop(std::string& out) {
  while (!waiting_.empty() && waiting_.front()) {
    out += *waiting_.front();
    waiting_.pop_front();
    ++first_;
  }
}

}  // namespace rein::serve
