#include "hpo/driver/programs/start_failure.h"

#include <cerrno>
#include <fstream>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr std::size_t kLongestScriptLine = 256;  ///< bytes that the system looks at
constexpr std::string_view kMark = "#!";

/// Empty where it cannot be read.
std::string first_line(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(kLongestScriptLine, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  return line.substr(0, line.find('\n'));
}

/// What a script's first line says is to run it.
std::string interpreter_of(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t", kMark.size());
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
}

}  // namespace

std::string start_failure(const std::string& path, int error) {
  const std::string what = base::cat("cannot be started: ", base::errno_words(error));
  const std::string shown = base::printable(path, 200), line = first_line(path);
  if (error == ENOEXEC)
    return base::cat(
        what, ": ", shown,
        " is neither a program for this machine nor a script; a script needs a first line "
        "that names its interpreter, such as #!/bin/sh");
  if (error != ENOENT) return base::cat(what, ": ", shown);
  if (!line.starts_with(kMark))
    return base::cat(what, ": ", shown,
                     line.empty() ? "" : ", or the loader that it was built for");
  if (line.ends_with('\r'))
    return base::cat(what, ": the first line of ", shown,
                     " ends with a carriage return, as on Windows; dos2unix removes it");
  return base::cat(what, ": the first line of ", shown, " names the interpreter ",
                   base::printable(interpreter_of(line), 120), ", which does not exist");
}

}  // namespace hpo
