// A Journal in memory: for tests, and to measure a service without its disk. Its entries are gone
// when it is destroyed.
#pragma once

#include <memory>

#include "journal/journal.h"

namespace rein {

std::unique_ptr<Journal> make_memory_journal();

}  // namespace rein
