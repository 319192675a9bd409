// The rows of the table under `data`.

#include <algorithm>
#include <iterator>

#include "hpo/study/binding.h"
#include "hpo/study/field_rows.h"
#include "hpo/study/spec.h"

namespace hpo::study {

namespace {

constexpr auto kMostSkipped = static_cast<double>(nn::kMostSkipped);

std::vector<Field> source_rows() {
  return {
      {.name = "data",
       .required = true,
       .only = "data",
       .doc = "Data set: one of `csv`, `idx`, `npy` and `safetensors`. A relative path is searched "
              "for next to the study file, then in `$TRELLIS_DATA`, then in `/usr/share/datasets`.",
       .binding = to<&StudySpec::data>()},
      {.name = "data.csv",
       .count = Count::one_or_list,
       .doc = "Table file with one row per line, plain or gzip. From a list, the first file that "
              "exists is used.",
       .place = true,
       .binding = to<&DataRows::csv>()},
      {.name = "data.idx",
       .count = Count::one_or_list,
       .doc = "Folder with the four files of an MNIST-style data set, plain or gzip. The t10k pair "
              "is the test part. From a list, the first folder that exists is used.",
       .place = true,
       .binding = to<&DataRows::idx>()},
      {.name = "data.npy",
       .only = "npy",
       .doc = "Two files with NumPy arrays, plain or gzip. The first dimension counts the rows. "
              "Images have the dimensions rows, height, width and optionally channels.",
       .binding = to<&DataRows::npy>()},
      {.name = "data.npy.x",
       .required = true,
       .doc = "File with the inputs.",
       .place = true,
       .binding = to<&ArrayFiles::x>()},
      {.name = "data.npy.y",
       .required = true,
       .doc = "File with the target: one number for each row, or several (rows, targets).",
       .place = true,
       .binding = to<&ArrayFiles::y>()},
      {.name = "data.safetensors",
       .count = Count::one_or_list,
       .doc = "File with the tensors `x` and `y`, shaped as for `npy`. If it has `x_test` and "
              "`y_test`, they are the test part. From a list, the first file that exists is used.",
       .place = true,
       .binding = to<&DataRows::safetensors>()},
      {.name = "data.test",
       .otherwise = "a share of the rows, see `split.test`",
       .only = "csv",
       .doc = "Second file with the same columns, which is the test part.",
       .place = true,
       .binding = to<&DataRows::test>()}};
}

std::vector<Field> column_rows() {
  return {
      {.name = "data.target",
       .count = Count::one_or_list,
       .fallback = "-1",
       .only = "csv",
       .text_is = "a column",
       .doc = "Column to predict: its name, or its number (1 is the first, -1 the last). A list "
              "names several columns of numbers.",
       .binding = to<&DataRows::target>()},
      {.name = "data.header",
       .words = {"true", "false", "guess"},
       .fallback = "guess",
       .only = "csv",
       .doc = "`true` if the first line names the columns, `false` if it does not. `guess` decides "
              "from the content of the table.",
       .binding = to<&DataRows::header>()},
      {.name = "data.skip",
       .otherwise = "no line is skipped",
       .only = "csv",
       .doc = "Lines of the file that are not part of the table, such as a title, comments, units "
              "or a footer. If a table cannot be read without them, `check` proposes the keys. "
              "They also apply to `data.test` and to tables that `predict` reads.",
       .binding = to<&DataRows::skip>()},
      {.name = "data.skip.lines",
       .min = 1,
       .max = kMostSkipped,
       .otherwise = "none",
       .unit = "lines",
       .doc = "Number of lines to skip at the beginning of the file, above the header. Empty lines "
              "count.",
       .binding = to<&SkipRows::lines>()},
      {.name = "data.skip.comment",
       .otherwise = "no line is a comment",
       .doc = "Characters that comments begin with, such as `#`. Every line that begins with these "
              "characters is skipped.",
       .literal = true,
       .binding = to<&SkipRows::comment>()},
      {.name = "data.skip.after_header",
       .min = 1,
       .max = kMostSkipped,
       .otherwise = "none",
       .unit = "rows",
       .doc = "Number of rows to skip below the header: units, or a second header.",
       .binding = to<&SkipRows::after_header>()},
      {.name = "data.skip.footer",
       .min = 1,
       .max = kMostSkipped,
       .otherwise = "none",
       .unit = "lines",
       .doc = "Number of lines to skip at the end of the file. Empty lines at the very end do not "
              "count.",
       .binding = to<&SkipRows::footer>()},
      {.name = "data.ignore",
       .fallback = "[]",
       .only = "csv",
       .text_is = "a column",
       .doc = "Columns to leave out, by name or number.",
       .binding = to<&DataRows::ignore>()},
      {.name = "data.keep",
       .fallback = "[]",
       .only = "csv",
       .text_is = "a column",
       .doc = "Columns to keep as inputs that would be left out: row numbers, strings that differ "
              "in nearly every row, constant strings, and the columns of `split`.",
       .binding = to<&DataRows::keep>()},
      {.name = "data.categories",
       .fallback = "[]",
       .only = "csv",
       .text_is = "a column",
       .doc = "Columns whose values are names, even if they look like numbers or dates: codes, zip "
              "codes, months. Each is given by name or number, and is an input as with `keep`.",
       .binding = to<&DataRows::categories>()},
      {.name = "data.missing",
       .fallback = "[]",
       .only = "csv",
       .doc = "Further strings that mark a missing value, exactly as the file has them. The empty "
              "field, NA, NaN, null and ? always do; `docs/data.md` lists all.",
       .binding = to<&DataRows::missing>()}};
}

std::vector<Field> reading_rows() {
  return {
      {.name = "data.classes",
       .fallback = "[]",
       .text_is = "a class name",
       .doc = "Classes to keep. Rows of other classes are left out after `rows` has been applied. "
              "An empty list keeps all classes.",
       .binding = to<&DataRows::classes>()},
      {.name = "data.rows",
       .min = 1,
       .max = 4e9,
       .otherwise = "all",
       .unit = "rows",
       .doc = "Number of rows to read, from the beginning of the data. Rows without a target value "
              "do not count. With `idx`, it is the number of training rows.",
       .binding = to<&DataRows::rows>()},
      {.name = "data.task",
       .otherwise = "guessed from the target and reported",
       .doc = "Type of the target: one of several classes, or a number.",
       .binding = to<&DataRows::task>()},
      {.name = "data.scale",
       .otherwise = "`unit` for `idx`, else `standard`",
       .doc = "Scaling of the features, fitted on the training part. `standard`: to mean 0 and "
              "deviation 1. `minmax`: to the range from 0 to 1. `unit`: bytes / 255. `none`: "
              "unchanged.",
       .binding = to<&DataRows::scale>()}};
}

std::vector<Field> split_rows() {
  return {
      {.name = "data.split",
       .doc = "Rows that are kept out of training, the same rows for all trials.",
       .binding = to<&DataRows::split>()},
      {.name = "data.split.valid",
       .min = 0,
       .max = 1,
       .min_excluded = true,
       .max_excluded = true,
       .fallback = "0.2",
       .doc = "Share of rows for validation, on which trials are compared.",
       .binding = to<&SplitRows::valid>()},
      {.name = "data.split.test",
       .min = 0,
       .max = 1,
       .max_excluded = true,
       .fallback = "0.2",
       .only = "csv, npy, safetensors",
       .doc = "Share of rows for the test part, which only the final score of the best trial uses.",
       .binding = to<&SplitRows::test>()},
      {.name = "data.split.seed",
       .min = 0,
       .max = kLargestSeed,
       .fallback = "0",
       .doc = "Seed of the shuffle that assigns rows to the parts. It is independent of the "
              "study's `seed`.",
       .binding = to<&SplitRows::seed>()},
      {.name = "data.split.group",
       .otherwise = "rows are assigned one by one, stratified by class",
       .only = "csv",
       .text_is = "a column",
       .doc = "Column whose equal values stay together in one part, such as the patient or the "
              "scene of a row.",
       .binding = to<&SplitRows::group>()},
      {.name = "data.split.time",
       .otherwise = "the order of rows does not count",
       .only = "csv",
       .text_is = "a column",
       .doc = "Column of numbers or dates that orders the rows. The last rows are the test part, "
              "the rows before them the validation part.",
       .binding = to<&SplitRows::time>()},
      {.name = "data.folds",
       .min = 2,
       .max = 100,
       .words = {"auto"},
       .otherwise = "`auto` in an open search of a csv without `split.valid`; else none: one split",
       .unit = "folds",
       .doc =
           "Number of folds of a cross-validation. All rows but the test part are divided into "
           "folds, and `split.valid` is ignored. Each trial trains one network for each fold. The "
           "network is trained on the other folds and validated on this one. The trial reports the "
           "mean of every metric and the `spread` of the objective. The final network is trained "
           "on all folds, with the parameters and epochs of the best trial. With `adapt`, the "
           "network of each fold finds its own size. The final network then repeats the changes of "
           "the network with the median size. `auto`: 5 folds for 20 to 3,999 rows outside the "
           "test part, else one split. With `split.group` or `split.time` it is always one split.",
       .binding = to<&DataRows::folds>()}};
}

}  // namespace

std::vector<Field> data_rows() {
  std::vector<Field> rows = source_rows();
  for (const auto more : {column_rows, reading_rows, split_rows})
    std::ranges::move(more(), std::back_inserter(rows));
  return rows;
}

}  // namespace hpo::study
