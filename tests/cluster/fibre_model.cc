#include "cluster/fibre_model.h"

#include <utility>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <semaphore>
#include <thread>
#else
#include <ucontext.h>

#include <cstdint>
#include <vector>
#endif

namespace rein::cluster {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

struct Fibre::Stack {
  std::binary_semaphore go{0}, stopped{0};
  std::thread thread;
};

Fibre::Fibre(std::function<void()> body) : body_(std::move(body)), stack_(std::make_unique<Stack>()) {
  stack_->thread = std::thread([this] {
    stack_->go.acquire();
    run();
    stack_->stopped.release();
  });
}

Fibre::~Fibre() { stack_->thread.join(); }

void Fibre::resume() {
  stack_->go.release();
  stack_->stopped.acquire();
}

void Fibre::stop() {
  stack_->stopped.release();
  stack_->go.acquire();
}

#else

struct Fibre::Stack {
  // Folding and learning need some tens of kilobytes.
  static constexpr std::size_t kBytes = std::size_t{1} << 20U;
  std::vector<char> bytes = std::vector<char>(kBytes);
  ucontext_t here{}, caller{};
};

Fibre::Fibre(std::function<void()> body) : body_(std::move(body)), stack_(std::make_unique<Stack>()) {
  ::getcontext(&stack_->here);
  stack_->here.uc_stack.ss_sp = stack_->bytes.data();
  stack_->here.uc_stack.ss_size = stack_->bytes.size();
  stack_->here.uc_link = &stack_->caller;
  // makecontext() passes numbers of 32 bits.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  using Entry = void (*)();
  const auto enter = +[](unsigned low, unsigned high) {
    const auto address = static_cast<std::uintptr_t>(low) | static_cast<std::uintptr_t>(high) << 32U;
    reinterpret_cast<Fibre*>(address)->run();
  };
  ::makecontext(&stack_->here, reinterpret_cast<Entry>(enter), 2, static_cast<unsigned>(self),
                static_cast<unsigned>(self >> 32U));
}

Fibre::~Fibre() = default;

void Fibre::resume() { ::swapcontext(&stack_->caller, &stack_->here); }
void Fibre::stop() { ::swapcontext(&stack_->here, &stack_->caller); }

#endif

void Fibre::run() {
  body_();
  ended_ = true;
}

}  // namespace rein::cluster
