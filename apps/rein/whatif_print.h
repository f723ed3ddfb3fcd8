// The answers of what-if as text for people.
#pragma once

#include "rein/whatif_report.h"

namespace rein::app {

void print_whatif(const WhatifReport& report);

}  // namespace rein::app
