// Standard input, output and error as they really are: closed, full, or gone.
#pragma once

#include <string_view>

namespace rein::app {

// The first thing to call. A closed stream gets a placeholder, so that no file that is opened later
// takes its number and receives what was meant for people. Writing past the largest file size that
// is allowed becomes an error, not the end of the program.
void open_streams();

// Throws Failure where nothing can be written to standard output: before hours of work.
void check_stdout();

// One line on standard error. Where that cannot be written, nobody is there to be told.
void complain(std::string_view text);

// Writes what is still buffered, and gives the exit code: `code`, or kFailed where that was kOk and
// not everything could be written.
int flushed(int code);

}  // namespace rein::app
