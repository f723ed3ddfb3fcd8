// The root of the source tree. A function instead of a macro: tests then compile to the same
// objects in any directory, so that a compiler cache can serve several copies of the tree.
#pragma once

#include <string>

std::string source_dir();
