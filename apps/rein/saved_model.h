// A model in a file: what rein train --save and rein whatif --save-policy write.
#pragma once

#include <string>

#include "rein/engine.h"

namespace rein::app {

// Throws UsageError if the file is no saved model, Failure if it is damaged or cannot be read.
Engine load_model(const std::string& path);

// The name of an action as logs have it: its name, or its id.
std::string action_label(const Engine& engine, std::int32_t id);

}  // namespace rein::app
