// Random pictures in the format of MNIST, for benchmarks that need no other data.
#pragma once

#include <string>

#include "base/temporary_folder.h"
#include "nn/data/data_spec.h"

namespace bench {

/// A folder with four such files: `rows` for training, 100 for tests. It lives as long as this.
class Pictures {
 public:
  static constexpr int kSide = 28, kClasses = 10;

  explicit Pictures(int rows);

  /// Without a validation part, scaled to [0, 1].
  [[nodiscard]] nn::DataSpec spec() const;

 private:
  void write(const std::string& part, int rows) const;

  base::TemporaryFolder folder_{"trellis-pictures-"};
};

}  // namespace bench
