#pragma once
// Files that are given for a table by mistake.

#include <string>
#include <string_view>

namespace nn {

/// The path of standard input in messages.
inline constexpr std::string_view kStandardInput = "standard input";

/// Throws DataError(path) where `bytes` begin a file of a known kind that is no table of lines:
/// other compressions and archives, workbooks, Parquet, JSON, HTML, ARFF, tables of Orange and the
/// like. The message says what it is, and the command that makes a CSV file of it.
void refuse_other_kind(const std::string& path, std::string_view bytes);

}  // namespace nn
