// The model file's container: what is written is read back, by us and by Python; what is damaged is
// refused.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "nn/model/safetensors.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::error_of;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// A file with this header and so many zero bytes of data.
std::vector<std::byte> file_of(const std::string& header, std::size_t data) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 255);
  return bytes_of(out + header + std::string(data, '\0'));
}

const std::array<float, 6> kWeights{0.5F, -1.25F, 3e-39F, 0, 1e30F, -0.1F};
const std::array<std::int32_t, 2> kCounts{-7, 1 << 30};

std::vector<nn::TensorBytes> tensors() {
  return {{"fc1.weight", "F32", {2, 3}, std::as_bytes(std::span(kWeights))},
          {"counts", "I32", {2}, std::as_bytes(std::span(kCounts))},
          {"nothing", "F32", {0, 4}, {}}};
}

const nn::TensorMetadata kMetadata{{"format", "trellis"}, {"spec", R"({"käse": ["\n", 1.5]})"}};

TEST(Safetensors, ReadsBackWhatItWrote) {
  const support::TempFolder folder;
  const std::string path = folder / "m.safetensors";
  nn::write_safetensors(path, tensors(), kMetadata);
  const nn::Safetensors file = nn::read_safetensors(path);
  EXPECT_EQ(file.metadata, kMetadata);
  ASSERT_EQ(file.tensors.size(), 3U);
  const nn::TensorEntry* weights = file.find("fc1.weight");
  ASSERT_NE(weights, nullptr);
  EXPECT_EQ(weights->shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(weights->dtype, "F32");
  EXPECT_EQ(std::memcmp(file.bytes(*weights).data(), kWeights.data(), sizeof kWeights), 0);
  EXPECT_EQ(file.find("nothing")->end - file.find("nothing")->begin, 0U);
  EXPECT_EQ(file.find("fc2.weight"), nullptr);
}

TEST(Safetensors, AlignsTheDataAndIsTheSameEachTime) {
  const auto once = nn::safetensors_bytes(tensors(), kMetadata);
  EXPECT_EQ(once, nn::safetensors_bytes(tensors(), kMetadata));
  std::uint64_t length = 0;
  std::memcpy(&length, once.data(), 8);
  EXPECT_EQ((8 + length) % 64, 0U);
}

TEST(Safetensors, ReplacesAFileWhollyAndLeavesNothingBehind) {
  const support::TempFolder folder;
  const std::string path = folder / "m.safetensors";
  nn::write_safetensors(path, tensors(), kMetadata);
  nn::write_safetensors(path, {}, {{"a", "b"}});
  EXPECT_EQ(nn::read_safetensors(path).metadata.at("a"), "b");
  const auto refusal = [](const std::string& file) -> std::string {
    try {
      nn::write_safetensors(file, {}, {});
      return "";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::Errc::storage);
      return error.what();
    }
  };
  const std::string missing = folder / "none" / "m.safetensors";
  EXPECT_EQ(refusal(missing),
            "cannot write " + missing + ": No such file or directory; check the path");
  const std::string taken = folder / "taken";
  std::filesystem::create_directory(taken);
  EXPECT_EQ(refusal(taken), "cannot write " + taken + ": it is a folder; expected a file");
  const auto entries = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2);
}

TEST(Safetensors, RefusesToWriteNonsense) {
  const auto message = [](const nn::TensorBytes& tensor) {
    return error_of(
        "/", [&] { (void)nn::safetensors_bytes(std::array{tensor}, {}); }, base::Errc::internal);
  };
  const auto bytes = std::as_bytes(std::span(kCounts));
  EXPECT_EQ(message({"t", "F31", {2}, bytes}), "safetensors: tensor 't': unknown dtype F31");
  EXPECT_EQ(message({"t", "F32", {3}, bytes}), "safetensors: tensor 't': shape and bytes differ");
  EXPECT_EQ(message({"__metadata__", "F32", {2}, bytes}),
            "safetensors: tensor '__metadata__': the name is taken");
}

TEST(Safetensors, PythonOpensIt) {
  if (std::system("python3 -c pass >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const support::TempFolder folder;
  const std::string path = folder / "m.safetensors";
  nn::write_safetensors(path, tensors(), kMetadata);
  const std::string command = std::string("python3 ") + PYTHON_READER + " " + path;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  ASSERT_NE(pipe, nullptr);
  std::string printed;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    printed += static_cast<char>(c);
  }
  const auto json = nlohmann::json::parse(printed);
  EXPECT_EQ(json["metadata"], nlohmann::json(kMetadata));
  EXPECT_EQ(json["tensors"]["counts"]["values"], nlohmann::json(kCounts));
  EXPECT_EQ(json["tensors"]["fc1.weight"]["shape"], nlohmann::json({2, 3}));
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    EXPECT_EQ(json["tensors"]["fc1.weight"]["values"][i].get<float>(), kWeights[i]);
  }
  EXPECT_EQ(json["tensors"]["nothing"]["shape"], nlohmann::json({0, 4}));
}

struct BadFile {
  const char* name;
  std::vector<std::byte> bytes;
  const char* message;
};

class BadSafetensors : public testing::TestWithParam<BadFile> {};

TEST_P(BadSafetensors, AreRefusedInOneLine) {
  EXPECT_EQ(error_of("/none", [] { (void)nn::parse_safetensors(GetParam().bytes, "m"); }),
            GetParam().message);
}

/// A header with one tensor "t" of these texts.
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"t":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

INSTANTIATE_TEST_SUITE_P(
    Safetensors, BadSafetensors,
    testing::Values(
        BadFile{"short", bytes_of("1234567"),
                "m: this is not a safetensors file: it has fewer than 8 bytes"},
        BadFile{"length_cap", bytes_of(std::string("\0\0\0\2\0\0\0\0{}", 10)),
                "m: this is not a safetensors file: it claims a header of 33554432 bytes, expected "
                "at most "
                "16777216"},
        BadFile{
            "length_huge", bytes_of("\xff\xff\xff\xff\xff\xff\xff\xff{}"),
            "m: this is not a safetensors file: it claims a header of 18446744073709551615 bytes, "
            "expected at most 16777216"},
        BadFile{"zip", bytes_of(std::string("PK\3\4\0\0\0\0{}", 10)),
                "m: this is not a safetensors file; it looks like a zip archive (a PyTorch "
                "checkpoint?)"},
        BadFile{"length_beyond", bytes_of(std::string("\3\0\0\0\0\0\0\0{}", 10)),
                "m: the file claims a header of 3 bytes, more than the file has"},
        BadFile{"no_brace", file_of(" {}", 0), "m: the header does not begin with {"},
        BadFile{"bad_json", file_of("{\"a\":}", 0), "m: the header is not valid JSON"},
        BadFile{"two_values", file_of("{} {}", 0), "m: the header is not valid JSON"},
        BadFile{"bad_utf8", file_of("{\"\xff\":1}", 0), "m: the header is not valid JSON"},
        BadFile{"deep", file_of("{\"a\":" + std::string(100000, '[') + "}", 0),
                "m: the header is nested deeper than 4 levels"},
        BadFile{"name_twice",
                file_of(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                        R"("t":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                        2),
                "m: the header holds 't' twice"},
        BadFile{"key_twice",
                file_of(R"({"t":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1),
                "m: the header holds 'dtype' twice"},
        BadFile{"metadata_list", file_of(R"({"__metadata__":[]})", 0),
                "m: __metadata__: expected an object of strings"},
        BadFile{"metadata_number", file_of(R"({"__metadata__":{"a":1}})", 0),
                "m: __metadata__: 'a' is not a string"},
        BadFile{"no_object", file_of(R"({"t":1})", 0),
                "m: tensor 't': expected exactly dtype, shape and data_offsets"},
        BadFile{"missing_key", file_of(R"({"t":{"dtype":"U8","shape":[1]}})", 1),
                "m: tensor 't': expected exactly dtype, shape and data_offsets"},
        BadFile{"further_key",
                file_of(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"code":""}})", 1),
                "m: tensor 't': expected exactly dtype, shape and data_offsets"},
        BadFile{"dtype_number", file_of(one("8", "[1]", "[0,1]"), 1),
                "m: tensor 't': dtype: expected a string"},
        BadFile{"dtype_unknown", file_of(one("\"OBJECT\"", "[1]", "[0,1]"), 1),
                "m: tensor 't': unknown dtype 'OBJECT'"},
        BadFile{"shape_text", file_of(one("\"U8\"", "\"1\"", "[0,1]"), 1),
                "m: tensor 't': shape: expected a list of whole numbers"},
        BadFile{"shape_negative", file_of(one("\"U8\"", "[-1]", "[0,1]"), 1),
                "m: tensor 't': shape: expected a whole number from 0 to 2^63 - 1"},
        BadFile{"shape_fraction", file_of(one("\"U8\"", "[1.0]", "[0,1]"), 1),
                "m: tensor 't': shape: expected a whole number from 0 to 2^63 - 1"},
        BadFile{"shape_overflow", file_of(one("\"U8\"", "[4294967296,4294967296,1]", "[0,0]"), 0),
                "m: tensor 't': its shape and type do not take the 0 bytes that it claims"},
        BadFile{"shape_wrong", file_of(one("\"F32\"", "[2]", "[0,4]"), 4),
                "m: tensor 't': its shape and type do not take the 4 bytes that it claims"},
        BadFile{"offsets_three", file_of(one("\"U8\"", "[1]", "[0,1,2]"), 1),
                "m: tensor 't': data_offsets: expected a begin and an end that is not before it"},
        BadFile{"offsets_backwards", file_of(one("\"U8\"", "[1]", "[1,0]"), 1),
                "m: tensor 't': data_offsets: expected a begin and an end that is not before it"},
        BadFile{"offsets_outside", file_of(one("\"U8\"", "[9]", "[0,9]"), 8),
                "m: tensor 't' ends at byte 9 of 8 bytes of data"},
        BadFile{
            "hole", file_of(one("\"U8\"", "[1]", "[1,2]"), 2),
            "m: there is a gap before tensor 't', which begins at byte 1 of the data, expected 0"},
        BadFile{"overlap",
                file_of(R"({"s":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                        R"("t":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                        3),
                "m: another tensor overlaps tensor 't', which begins at byte 1 of the data, "
                "expected 2"},
        BadFile{"left_over", file_of(one("\"U8\"", "[1]", "[0,1]"), 3),
                "m: the file continues after its last tensor, expected 1 bytes of data, not 3"}),
    [](const auto& one_test) { return one_test.param.name; });

}  // namespace
