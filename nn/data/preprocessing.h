#pragma once
// What was done to the data before a network saw it, as text that travels in the model's file.

#include <string>
#include <string_view>

#include "nn/data/dataset.h"

namespace nn {

/// JSON on one line:
///   {"task": "classification", "target": NAME, "classes": [NAME, ...],      (or for regression
///    "task": "regression", "target": NAME, "target_shift": S, "target_unit": U,
///    or with several targets a list of each,)
///    "input": [DIMS], "columns": [{"name": NAME, "fill": F} or {"name": NAME, "categories":
///    [...]}], "scale": "standard", "shift": [one an input], "factor": [one an input]}
/// A network's input is (x - shift) * factor, its prediction y for a number means
/// y * target_unit + target_shift. A column may also be {"name", "hashed": INPUTS} or {"name",
/// "date": "year_first", "clock": false, "fill": DAY}; with "indicator": true one more input tells
/// where its value is missing (encode.h). Numbers that are not written plainly have "format":
/// {"sign": "$", "group": ",", "decimal": "."} (NumberFormat), in which "unit", "marks", "span" and
/// "gaps" stand where they are no defaults; those with "offset": O are x - O,
/// subtracted in double, and "fill" is such a difference; those of the targets are the list
/// "target_formats". "places" is Dataset::Header::places. "missing" is the list of
/// DataSpec::missing, where there is one; "decimal_comma": true where the table had such, "quote"
/// its quote where that is "'"; "skip" is DataSpec::skip. A
/// column with "absent": true is missing in every row; tables need not have it. Columns
/// stand in the order of the inputs, one with
/// categories is as many inputs, 1 for the row's category and 0 for the others. Images have no
/// columns: NHWC bytes. A shift or factor that is the same for all inputs is one number instead of
/// a list.
[[nodiscard]] std::string preprocessing_json(const Dataset& data);

/// The inverse: a data set without rows whose header, shift and scale are those that the text was
/// made of. Throws base::Error (data) "preprocessing: what, expected" for anything else; hostile
/// texts are refused.
[[nodiscard]] Dataset preprocessing_from_json(std::string_view text);

}  // namespace nn
