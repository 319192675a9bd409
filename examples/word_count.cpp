// Counts the words of files: one task a file, then a tree of merges.
//   word_count FILE...     without files it writes four of its own and checks the answer
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "runtime/runtime.h"

// A dictionary is a value like any other: it has a canonical byte form, so it can be hashed and
// kept.
using Counts = std::map<std::string, std::uint64_t>;

// The file is read when the task runs. Pure: the same content is never counted twice.
const auto count =
    rt::task("count", 1)
        .cpu([](rt::file_in file) -> Counts {
          std::ifstream in(file.path());
          if (!in) throw base::Error(base::Errc::storage, "cannot read " + file.path().string());
          Counts counts;
          for (std::string word; in >> word;) ++counts[word];
          return counts;
        })
        .pure();

const auto merge = rt::task("merge", 1)
                       .cpu([](rt::inout<Counts> into, rt::in<Counts> from) {
                         for (const auto& [word, n] : *from) (*into)[word] += n;
                       })
                       .pure();

// Four files of a known content: word k stands k times in each.
std::vector<std::filesystem::path> sample_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const char* name : {"a", "b", "c", "d"}) {
    std::ofstream out(files.emplace_back(folder / name));
    for (int k = 1; k <= 9; ++k) {
      for (int i = 0; i < k; ++i) out << "word" << k << (i % 3 == 2 ? '\n' : ' ');
    }
  }
  return files;
}

int main(int argc, char** argv) try {
  rt::init(argc, argv);  // with --trellis-hosts=A,B the tasks run there
  std::vector<std::filesystem::path> files(argv + 1, argv + argc);
  const bool own = files.empty();
  std::string folder = (std::filesystem::temp_directory_path() / "word_count-XXXXXX").string();
  if (own && mkdtemp(folder.data()) != nullptr) files = sample_files(folder);

  rt::Runtime runtime;
  std::vector<rt::Value<Counts>> parts;
  for (const auto& file : files) parts.push_back(count(file));
  for (std::size_t step = 1; step < parts.size();
       step *= 2) {  // the merges of one step are independent
    for (std::size_t i = 0; i + step < parts.size(); i += 2 * step)
      merge(parts[i], parts[i + step]);
  }
  const Counts& total = parts[0].get();

  std::vector<std::pair<std::string, std::uint64_t>> top(total.begin(), total.end());
  std::stable_sort(top.begin(), top.end(), [](auto& a, auto& b) { return a.second > b.second; });
  top.resize(std::min<std::size_t>(top.size(), 5));
  for (const auto& [word, n] : top)
    std::printf("%8llu  %s\n", static_cast<unsigned long long>(n), word.c_str());
  if (!own) return 0;
  std::filesystem::remove_all(folder);
  const bool right = total.size() == 9 && total.at("word9") == 36 && total.at("word1") == 4;
  std::puts(right ? "right: 9 words, word9 36 times" : "WRONG");
  return right ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "word_count: %s\n", e.what()), 1;
}
