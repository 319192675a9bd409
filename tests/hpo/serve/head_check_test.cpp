#include "hpo/serve/head_check.h"

#include <gtest/gtest.h>

#include <string>

namespace hpo::serve {
namespace {

constexpr const char* kHost = "Host: localhost:1\r\n";

/// The status of a refusal; 0: none.
int status_of(const std::string& line, const std::string& fields = kHost, bool posts = false) {
  const auto refusal = check_head(line + "\r\n" + fields + "\r\n", posts);
  return refusal ? refusal->status : 0;
}

TEST(HeadCheck, ABrowsersRequestPasses) {
  EXPECT_EQ(status_of("GET /s/a/?x=1 HTTP/1.1",
                      "Host: 127.0.0.1:8421\r\nUser-Agent: a b (c; d)\r\nAccept: */*\r\n"
                      "Cookie: a=b\r\nUpgrade-Insecure-Requests: 1\r\nContent-Length: 0\r\n"),
            0);
  EXPECT_EQ(status_of("HEAD / HTTP/1.0"), 0);
}

TEST(HeadCheck, MethodsAreThoseOfTheList) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PRI",
                             "get", "GETT", "PROPFIND"})
    EXPECT_EQ(status_of(std::string(method) + " / HTTP/1.1"), 405) << method;
  EXPECT_EQ(status_of("POST / HTTP/1.1", kHost, true), 0);
  EXPECT_EQ(status_of("DELETE / HTTP/1.1", kHost, true), 405);
}

TEST(HeadCheck, AddressesArePaths) {
  for (const char* target : {"http://localhost/", "*", "//\x80", "/a\x01", "s"})
    EXPECT_EQ(status_of(std::string("GET ") + target + " HTTP/1.1"), 400) << target;
  EXPECT_EQ(status_of("GET /" + std::string(3000, 'a') + " HTTP/1.1"), 414);
  EXPECT_EQ(status_of("GET / HTTP/2.0"), 505);
  EXPECT_EQ(status_of("GET /"), 400);
  EXPECT_EQ(status_of("GET / a HTTP/1.1"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\nX: a"), 400);
}

TEST(HeadCheck, BodiesAndPartsAreRefused) {
  const std::string host = kHost;
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "Content-Length: 3\r\n"), 413);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "Content-Length: 0, 3\r\n"), 413);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "Transfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "transfer-encoding: \tidentity\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "Range: bytes=0-1\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "Expect: 100-continue\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "Upgrade: h2c\r\n"), 400);
}

TEST(HeadCheck, FieldsAreWellFormed) {
  const std::string host = kHost;
  EXPECT_EQ(status_of("GET / HTTP/1.1", ""), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + host), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "hOST: b\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "Origin: a\r\nOrigin: b\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "no colon\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "a b: c\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + ": c\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "a : c\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + " folded\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + std::string("a: b\0c\r\n", 8)), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1", host + "a: b\nc: d\r\n"), 400);
  EXPECT_TRUE(check_head("\r\n", false).has_value());
  EXPECT_TRUE(check_head("\r\n\r\n", false).has_value());
  EXPECT_TRUE(check_head("GET / HTTP/1.1\nHost: a\n\n", false).has_value());
}

}  // namespace
}  // namespace hpo::serve
