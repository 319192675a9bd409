// The rows of the table under `data`.

#include <algorithm>
#include <iterator>

#include "hpo/study/binding.h"
#include "hpo/study/field_rows.h"
#include "hpo/study/spec.h"

namespace hpo::study {

namespace {

std::vector<Field> source_rows() {
  return {
      {.name = "data",
       .required = true,
       .only = "data",
       .doc = "What is learnt from: one of `csv`, `idx`, `npy` and `safetensors`. A relative path "
              "is looked for beside "
              "the study file, then in "
              "`$TRELLIS_DATA`, then in `/usr/share/datasets`.",
       .binding = to<&StudySpec::data>()},
      {.name = "data.csv",
       .count = Count::one_or_list,
       .doc = "A file with one row a line, gz or not. Of a list, the first that exists.",
       .place = true,
       .binding = to<&DataRows::csv>()},
      {.name = "data.idx",
       .count = Count::one_or_list,
       .doc = "A folder with the four MNIST-style files, gz or not; the t10k pair is the test "
              "part. Of a list, the first "
              "that exists.",
       .place = true,
       .binding = to<&DataRows::idx>()},
      {.name = "data.npy",
       .only = "npy",
       .doc = "Two NumPy arrays in files, gz or not. Rows come first; images have the dimensions "
              "rows, height, width and perhaps channels.",
       .binding = to<&DataRows::npy>()},
      {.name = "data.npy.x",
       .required = true,
       .doc = "The inputs.",
       .place = true,
       .binding = to<&ArrayFiles::x>()},
      {.name = "data.npy.y",
       .required = true,
       .doc = "The target: a number for each row, or several (rows, targets).",
       .place = true,
       .binding = to<&ArrayFiles::y>()},
      {.name = "data.safetensors",
       .count = Count::one_or_list,
       .doc = "A file with the tensors `x` and `y`, as for `npy`; `x_test` and `y_test`, where it "
              "has them, are the test part. Of a list, the first that exists.",
       .place = true,
       .binding = to<&DataRows::safetensors>()},
      {.name = "data.test",
       .otherwise = "a share of the rows, see `split.test`",
       .only = "csv",
       .doc = "A second file with the same columns: the test part.",
       .place = true,
       .binding = to<&DataRows::test>()}};
}

std::vector<Field> column_rows() {
  return {
      {.name = "data.target",
       .count = Count::one_or_list,
       .fallback = "-1",
       .only = "csv",
       .doc = "The column to predict: its name, or its number (1 is the first, -1 the last). "
              "Several of numbers in a list.",
       .binding = to<&DataRows::target>()},
      {.name = "data.header",
       .words = {"true", "false", "guess"},
       .fallback = "guess",
       .only = "csv",
       .doc = "Whether the first line names the columns.",
       .binding = to<&DataRows::header>()},
      {.name = "data.ignore",
       .fallback = "[]",
       .only = "csv",
       .doc = "Columns left out, by name or number.",
       .binding = to<&DataRows::ignore>()},
      {.name = "data.keep",
       .fallback = "[]",
       .only = "csv",
       .doc = "Columns that are inputs although they number the rows, have a text of its own in "
              "nearly every row or the same text in all, or decide the split.",
       .binding = to<&DataRows::keep>()},
      {.name = "data.categories",
       .fallback = "[]",
       .only = "csv",
       .doc = "Columns whose values are names, by name or number, also where they look like "
              "numbers or dates: codes, zip codes, months. Inputs as those of `keep`.",
       .binding = to<&DataRows::categories>()},
      {.name = "data.missing",
       .fallback = "[]",
       .only = "csv",
       .doc = "Texts that stand for a missing value, as they are in the file, beside the empty "
              "field, NA, NaN, null, ? and the like.",
       .binding = to<&DataRows::missing>()},
      {.name = "data.classes",
       .fallback = "[]",
       .doc = "Only the rows of these classes, of those that are read; none named: all of them.",
       .binding = to<&DataRows::classes>()},
      {.name = "data.rows",
       .min = 1,
       .max = 4e9,
       .otherwise = "all",
       .unit = "rows",
       .doc = "Only the first so many rows (of `idx`: training rows).",
       .binding = to<&DataRows::rows>()},
      {.name = "data.task",
       .otherwise = "guessed from the target, and said",
       .doc = "Whether the target is one of several classes or a number.",
       .binding = to<&DataRows::task>()},
      {.name = "data.scale",
       .otherwise = "`unit` for idx, else `standard`",
       .doc = "How features are scaled, fitted on the training part: to mean 0 and deviation 1, to "
              "0 .. 1, bytes / 255, "
              "not at all.",
       .binding = to<&DataRows::scale>()}};
}

std::vector<Field> split_rows() {
  return {
      {.name = "data.split",
       .doc = "Which rows are kept out of training. The same for all trials.",
       .binding = to<&DataRows::split>()},
      {.name = "data.split.valid",
       .min = 0,
       .max = 1,
       .min_excluded = true,
       .max_excluded = true,
       .fallback = "0.2",
       .doc = "Share of the rows that trials are compared on.",
       .binding = to<&SplitRows::valid>()},
      {.name = "data.split.test",
       .min = 0,
       .max = 1,
       .max_excluded = true,
       .fallback = "0.2",
       .only = "csv, npy, safetensors",
       .doc = "Share of the rows that nothing but the final score of the best trial sees.",
       .binding = to<&SplitRows::test>()},
      {.name = "data.split.seed",
       .min = 0,
       .max = kLargestSeed,
       .fallback = "0",
       .doc = "Of the shuffle that deals out the rows; never follows the study's seed.",
       .binding = to<&SplitRows::seed>()},
      {.name = "data.split.group",
       .otherwise = "each row by itself; classes in equal shares",
       .only = "csv",
       .doc = "A column whose equal values stay together in one part: rows of one patient, "
              "pictures of one scene.",
       .binding = to<&SplitRows::group>()},
      {.name = "data.split.time",
       .otherwise = "the order does not count",
       .only = "csv",
       .doc = "A column of numbers or dates to split by: the last rows are the test part, "
              "those before it are the validation part.",
       .binding = to<&SplitRows::time>()},
      {.name = "data.folds",
       .min = 2,
       .max = 100,
       .words = {"auto"},
       .otherwise = "`auto` for a csv whose search is left open, see `parameters`, and whose "
                    "`split.valid` is not given; else none: one split",
       .unit = "folds",
       .doc = "Cross-validation: all rows but the test part make so many folds, each trial "
              "trains as many networks, each chosen by one fold and trained on the others, and "
              "reports the mean of every metric and the `spread` of the objective. `split.valid` "
              "does not count then. The network that is written in the end is trained again on "
              "all rows but the test part, with the best trial's parameters and epochs; with "
              "`adapt` the network of each fold finds its own size, and that one repeats what "
              "the one of the middle size did. `auto`: 5 folds for 20 to 3,999 rows outside of "
              "the test part, else one split; with `split.group` or `split.time` one split.",
       .binding = to<&DataRows::folds>()}};
}

}  // namespace

std::vector<Field> data_rows() {
  std::vector<Field> rows = source_rows();
  for (const auto more : {column_rows, split_rows})
    std::ranges::move(more(), std::back_inserter(rows));
  return rows;
}

}  // namespace hpo::study
