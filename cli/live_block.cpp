#include "cli/live_block.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <span>
#include <string_view>

#include "base/new_file.h"
#include "base/text.h"
#include "cli/terminal.h"

namespace cli {

namespace {

constexpr int kUsualRows = 24;

/// Where nobody looks any more, nothing is lost.
void write_text(int fd, std::string_view text) {
  (void)base::write_all(fd, std::as_bytes(std::span(text)));
}

}  // namespace

int LiveBlock::width() const { return terminal_width(fd_) - 1; }

int LiveBlock::rows() const {
  winsize size{};
  const bool known = ::ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  return (known ? size.ws_row : kUsualRows) - 1;
}

void LiveBlock::paint(const std::vector<std::string>& lines) {
  std::string out;
  // In a terminal that became narrower the lines may take more rows than they did, or lost their
  // ends: terminals differ. Only an empty screen is certain.
  const bool narrower = painted_ > 0 && width() < painted_width_;
  if (narrower || painted_ > rows())
    out += "\033[H\033[2J";
  else if (painted_ > 0)
    out += base::cat("\033[", painted_, "A\r");
  for (const std::string& line : lines) out += line + "\033[K\n";
  out += "\033[J";
  write_text(fd_, out);
  painted_ = static_cast<int>(lines.size());
  painted_width_ = width();
}

void LiveBlock::clear() {
  if (painted_ > 0) write_text(fd_, base::cat("\033[", painted_, "A\r\033[J"));
  painted_ = 0;
}

}  // namespace cli
