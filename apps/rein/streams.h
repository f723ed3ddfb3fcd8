// Handles standard input, output and error that are closed, full, or disconnected.
#pragma once

#include <string_view>

namespace rein::app {

// Call this first. A closed stream gets a placeholder, so that no file opened later takes its
// number and receives output meant for people. Exceeding the file size limit becomes an error
// instead of ending the program.
void open_streams();

// Throws Failure if standard output cannot be written. Call it before hours of work.
void check_stdout();

// Prints the text and a line end on standard error. A failure is ignored.
void complain(std::string_view text);

// Writes what is still buffered and returns the exit code: `code`, or kFailed if that was kOk and a
// write failed.
int flushed(int code);

}  // namespace rein::app
