#pragma once
// What a target for the fuzzer is: one function that feeds bytes to one parser. The same target is
// run by libFuzzer (engine.cpp) and over the committed inputs by the test suite (replay.cpp).

#include <string_view>

namespace fuzz {

/// Gives the bytes to the parser. Comes back when they were read, or refused with the parser's own
/// exception and a message fit for people; everything else (another exception, a broken promise, a
/// crash) is a finding.
void feed(std::string_view input);

/// Ends the program, naming the promise, unless it was kept.
void promise(bool kept, std::string_view what);

/// A message is one line without control characters, and short whatever the input was.
void promise_message(std::string_view message);

}  // namespace fuzz
