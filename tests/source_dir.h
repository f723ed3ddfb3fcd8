// The root of the source tree. A function, and no macro: tests compile to the same objects wherever
// the tree lies, so that a compiler cache can serve several copies of it.
#pragma once

#include <string>

std::string source_dir();
