// What tests of models and writers share: a journal that outlives its model, requests, and the fold
// of a journal from its beginning.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <string>

#include "journal/memory_journal.h"
#include "serve/verbs.h"
#include "tools/offline.h"

namespace rein::serve {

// Passes everything on to a journal that the test keeps.
class LentJournal : public Journal {
 public:
  explicit LentJournal(std::shared_ptr<Journal> kept) : kept_(std::move(kept)) {}
  Result<> append(std::span<const std::string_view> entries) override {
    return kept_->append(entries);
  }
  std::int64_t last() const override { return kept_->last(); }
  std::int64_t first() const override { return kept_->first(); }
  std::uint64_t chain() const override { return kept_->chain(); }
  Result<std::uint64_t> chain_at(std::int64_t number) const override {
    return kept_->chain_at(number);
  }
  Result<> read(std::int64_t from, const Each& each) const override {
    return kept_->read(from, each);
  }
  Result<> drop_before(std::int64_t number) override { return kept_->drop_before(number); }

 private:
  std::shared_ptr<Journal> kept_;
};

inline Ask post(std::string verb, std::string body) {
  return {.method = "POST", .verb = std::move(verb), .body = std::move(body)};
}

inline Json json_in(const HttpResponse& answer) { return read_json(answer.body); }
inline std::string text_in(const HttpResponse& answer, std::string_view name) {
  const Json parsed = json_in(answer);
  Fields fields(parsed);
  return fields.text(name, "");
}

inline std::uint64_t hash_of_fold(const Journal& journal) {
  const auto state = fold_journal(journal, {});
  EXPECT_TRUE(state.ok()) << state.error();
  return state ? state.value().hash() : 0;
}

// A model whose clocks a test moves, with a journal that outlives it.
class ModelOnClocks : public testing::Test {
 protected:
  explicit ModelOnClocks(const char* document, std::int64_t wall, bool with_steady)
      : wall_(wall), document_(document), with_steady_(with_steady) {}

  std::unique_ptr<Model> made() {
    return Model::create("m", document_, std::make_unique<LentJournal>(journal_), options()).value();
  }
  std::unique_ptr<Model> opened() {
    return Model::open("m", std::make_unique<LentJournal>(journal_), options()).value();
  }
  static HttpResponse ask(Model& model, const Ask& ask) {
    model.begin();
    HttpResponse answer = model.call(ask);
    model.commit().check();
    return answer;
  }

  std::int64_t wall_, steady_ = 50;
  std::shared_ptr<Journal> journal_ = make_memory_journal();

 private:
  ModelOptions options() {
    ModelOptions options{.folder = "", .wall = [this] { return wall_; }};
    if (with_steady_) options.steady = [this] { return steady_; };
    return options;
  }

  const char* document_;
  bool with_steady_;
};

// The answer of a writer: none if the reply was dropped.
class Waiting final : public HttpReply {
 public:
  ~Waiting() override {
    if (!sent_) promise_.set_value(std::nullopt);
  }
  void send(HttpResponse response) override {
    sent_ = true;
    promise_.set_value(std::move(response));
  }
  std::shared_ptr<EventStream> stream() override { return nullptr; }
  std::future<std::optional<HttpResponse>> answer() { return promise_.get_future(); }

 private:
  std::promise<std::optional<HttpResponse>> promise_;
  bool sent_ = false;
};

}  // namespace rein::serve
