#pragma once
// NumPy's .npy files (format versions 1 to 3): "\x93NUMPY", the version, the length of a header,
// the header as a Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, the
// values.

#include <string>

#include "nn/data/number_array.h"
#include "nn/data/source_file.h"

namespace nn {

/// The array in a file, gz or not. Throws DataError for what is no such file, types that are no
/// numbers, columns first (fortran_order), and a size that the file does not have.
[[nodiscard]] NumberArray read_npy(const SourceFile& file, std::size_t max_bytes);

}  // namespace nn
