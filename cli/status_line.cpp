#include "cli/status_line.h"

#include <cstdio>

#include "cli/terminal.h"

namespace cli {

StatusLine::StatusLine(bool quiet) : quiet_(quiet), live_(!quiet && live_display()) {}

void StatusLine::clear() {
  if (painted_) std::fputs("\r\033[K", stderr);
  painted_ = false;
}

void StatusLine::line(const std::string& text) {
  if (quiet_) return;
  clear();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void StatusLine::paint(const std::string& text) {
  if (!live_) return;
  std::fprintf(stderr, "\r\033[K%s", clip(text, terminal_width() - 1).c_str());
  std::fflush(stderr);
  painted_ = true;
}

}  // namespace cli
