#include "hpo/report/figures/convert.h"

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/executable.h"
#include "base/process/program.h"
#include "base/text.h"

namespace hpo::figures {

namespace {

constexpr double kPatience = 120;               // seconds, of a picture of thousands of trials
constexpr std::uint64_t kMostBytes = 1U << 28;  // of a converted picture

}  // namespace

Converter::Converter(FigureFormat format) : format_(format) {
  if (format == FigureFormat::svg) return;
  const auto found = base::find_executable("rsvg-convert", "/");
  if (!found)
    throw base::Error(base::Errc::no_device,
                      "--format: pdf and png need rsvg-convert, and PATH has none; install it "
                      "(Debian: apt install librsvg2-bin) or use --format svg");
  program_ = *found;
}

std::string Converter::converted(const std::string& svg) const {
  if (format_ == FigureFormat::svg) return svg;
  base::Program program{.command = {program_}, .folder = "/", .input = svg, .timeout = kPatience};
  // A picture with a date in it would differ from itself.
  program.environment = {{"SOURCE_DATE_EPOCH", "0"}};
  program.most = kMostBytes;
  if (format_ == FigureFormat::pdf)
    program.command.insert(program.command.end(), {"--format", "pdf"});
  else
    program.command.insert(program.command.end(),
                           {"--format", "png", "--dpi-x", "300", "--dpi-y", "300"});
  base::ProgramResult result = base::run_program(program);
  if (result.end != base::ProcessEnd::exited || result.status != 0)
    throw base::Error(base::Errc::internal,
                      base::cat(base::title(program), " ", base::end_text(program, result), ": ",
                                base::printable(result.errors)));
  return std::move(result.output);
}

}  // namespace hpo::figures
