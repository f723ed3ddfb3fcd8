// The answers of what-if as text for people.
#pragma once

#include <string>

#include "rein/whatif_report.h"

namespace rein::app {

// `note` is a line of its own after the number of rows, or empty.
void print_whatif(const WhatifReport& report, const std::string& note);

}  // namespace rein::app
