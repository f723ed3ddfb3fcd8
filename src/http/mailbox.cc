#include "http/mailbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "http/answer.h"

namespace rein::serve {
namespace {

// A reader of events that is further behind than this is closed.
constexpr std::int64_t kMostWaiting = 1 << 20;

// The letters that a ReplyBatch of this thread holds back, by mailbox.
struct HeldLetters {
  std::vector<std::pair<std::shared_ptr<Mailbox>, std::vector<Letter>>> by_mailbox;
};
thread_local HeldLetters* held = nullptr;

void post(const std::shared_ptr<Mailbox>& mailbox, Letter letter) {
  if (held == nullptr) return mailbox->put(std::move(letter));
  for (auto& [to, letters] : held->by_mailbox) {
    if (to == mailbox) return letters.push_back(std::move(letter));
  }
  held->by_mailbox.emplace_back(mailbox, std::vector<Letter>()).second.push_back(std::move(letter));
}

class MailedStream final : public EventStream {
 public:
  MailedStream(std::shared_ptr<Mailbox> mailbox, ReplyAddress to,
               std::shared_ptr<StreamState> state)
      : mailbox_(std::move(mailbox)), to_(to), state_(std::move(state)) {}
  ~MailedStream() override {
    if (!state_->closed.exchange(true)) post(mailbox_, {.kind = Letter::Kind::kEnd, .to = to_});
  }
  MailedStream(const MailedStream&) = delete;
  MailedStream& operator=(const MailedStream&) = delete;

  using EventStream::send;
  bool send(std::shared_ptr<const std::string> event) override {
    if (state_->closed.load(std::memory_order_acquire)) return false;
    const auto size = static_cast<std::int64_t>(event->size());
    if (state_->waiting.fetch_add(size) + size > kMostWaiting) {
      if (!state_->closed.exchange(true)) post(mailbox_, {.kind = Letter::Kind::kCut, .to = to_});
      return false;
    }
    Letter letter{.kind = Letter::Kind::kEvent, .to = to_};
    letter.event = std::move(event);
    post(mailbox_, std::move(letter));
    return true;
  }

 private:
  std::shared_ptr<Mailbox> mailbox_;
  ReplyAddress to_;
  std::shared_ptr<StreamState> state_;
};

class MailedReply final : public HttpReply {
 public:
  MailedReply(std::shared_ptr<Mailbox> mailbox, ReplyAddress to, ReplyMemory memory)
      : mailbox_(std::move(mailbox)), to_(to), memory_(std::move(memory)) {}
  ~MailedReply() override {
    if (used_.exchange(true)) return;
    post(mailbox_, {.to = to_,
                    .response = answer_of(Refusal{500, "bug",
                                                  "the request got no answer; please report "
                                                  "this as a bug of rein"})});
  }
  MailedReply(const MailedReply&) = delete;
  MailedReply& operator=(const MailedReply&) = delete;

  void send(HttpResponse response) override {
    if (used_.exchange(true)) return;
    // The work is done and perhaps durable, so an answer goes out even if the budget is used up.
    memory_.answer.set_anyway(response.body.size());
    post(mailbox_, {.to = to_, .response = std::move(response), .hold = std::move(memory_.answer)});
  }

  bool make_room(std::size_t bytes) override { return memory_.answer.set(bytes); }

  std::shared_ptr<EventStream> stream() override {
    auto state = std::make_shared<StreamState>();
    if (used_.exchange(true)) {
      state->closed = true;
    } else {
      post(mailbox_, {.kind = Letter::Kind::kStream, .to = to_, .stream = state});
    }
    return std::make_shared<MailedStream>(mailbox_, to_, std::move(state));
  }

 private:
  std::shared_ptr<Mailbox> mailbox_;
  ReplyAddress to_;
  ReplyMemory memory_;
  std::atomic<bool> used_{false};
};

}  // namespace

void Mailbox::put(Letter letter) {
  std::lock_guard lock(mutex_);
  if (closed_) {
    if (letter.stream != nullptr) letter.stream->closed = true;
    return;
  }
  letters_.push_back(std::move(letter));
  if (letters_.size() == 1) ring_();
}

void Mailbox::put_all(std::vector<Letter>& letters) {
  std::lock_guard lock(mutex_);
  if (closed_ || letters.empty()) {
    for (const Letter& letter : letters) {
      if (letter.stream != nullptr) letter.stream->closed = true;
    }
    return;
  }
  const bool first = letters_.empty();
  std::move(letters.begin(), letters.end(), std::back_inserter(letters_));
  if (first) ring_();
}

void Mailbox::take(std::vector<Letter>& out) {
  std::lock_guard lock(mutex_);
  letters_.swap(out);
}

void Mailbox::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  for (Letter& letter : letters_) {
    if (letter.stream != nullptr) letter.stream->closed = true;
  }
  letters_.clear();
}

ReplyBatch::ReplyBatch() : outer_(held != nullptr) {
  if (!outer_) held = new HeldLetters;
}

ReplyBatch::~ReplyBatch() {
  if (outer_) return;
  const std::unique_ptr<HeldLetters> all(std::exchange(held, nullptr));
  for (auto& [mailbox, letters] : all->by_mailbox) mailbox->put_all(letters);
}

std::shared_ptr<HttpReply> make_reply(std::shared_ptr<Mailbox> mailbox, ReplyAddress to,
                                      ReplyMemory memory) {
  return std::make_shared<MailedReply>(std::move(mailbox), to, std::move(memory));
}

}  // namespace rein::serve
