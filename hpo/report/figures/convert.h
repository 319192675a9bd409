#pragma once
// SVG in other formats, by librsvg's rsvg-convert.

#include <string>

#include "hpo/report/figures/write.h"

namespace hpo::figures {

class Converter {
 public:
  /// Throws base::Error (no_device) where the format needs rsvg-convert and PATH has none.
  explicit Converter(FigureFormat format);

  /// The picture in that format. PNG has 300 pixels an inch. Throws base::Error (internal) where
  /// the program fails.
  [[nodiscard]] std::string converted(const std::string& svg) const;

 private:
  FigureFormat format_;
  std::string program_;
};

}  // namespace hpo::figures
