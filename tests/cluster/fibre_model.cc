#include "cluster/fibre_model.h"

#include <utility>

namespace rein::cluster {

Fibre::Fibre(std::function<void()> body) : body_(std::move(body)) {
  thread_ = std::thread([this] {
    go_.acquire();
    body_();
    ended_ = true;
    stopped_.release();
  });
}

Fibre::~Fibre() { thread_.join(); }

void Fibre::resume() {
  go_.release();
  stopped_.acquire();
}

void Fibre::stop() {
  stopped_.release();
  go_.acquire();
}

}  // namespace rein::cluster
