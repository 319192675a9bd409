#include "cli/open_page.h"

#include <unistd.h>

#include <cstdlib>

#include "base/error.h"
#include "base/executable.h"
#include "base/process/copy.h"
#include "base/shell.h"
#include "base/text.h"

namespace cli {

namespace {

/// A browser needs a display, a program that opens files, or both.
bool can_open() {
  const bool display =
      std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  return display && base::find_executable("xdg-open", "/").has_value();
}

}  // namespace

std::string open_page(const base::Path& folder) {
  const base::Path file = folder / "report.html";
  const std::string page = base::shell_quoted(file.string());
  std::string script =
      base::cat(base::shell_quoted(base::beside_this_program("trellis").string()), " report ",
                base::shell_quoted(folder.string()), " --output ", page);
  const bool opens = can_open();
  if (opens) script += base::cat(" && exec xdg-open ", page);
  try {
    (void)base::leave_copy([&](base::File to) {
      to.close();
      ::execl("/bin/sh", "sh", "-c", script.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    });
  } catch (const base::Error& error) {
    return base::cat("the page cannot be written: ", error.what());
  }
  return base::cat(opens ? "opening " : "no browser can be opened from here; the page is ",
                   file.string());
}

}  // namespace cli
