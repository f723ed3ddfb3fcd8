#include "source_dir.h"

std::string source_dir() { return REIN_SOURCE_DIR; }
