#include "harness/frame.hpp"

#include <cmath>
#include <cstdint>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace plumb {
namespace {

using Arrival = FrameReader::Arrival;

class Frame : public testing::Test {
 protected:
  Frame() { socketpair(AF_UNIX, SOCK_STREAM, 0, ends_); }
  ~Frame() override {
    close(ends_[0]);
    close(ends_[1]);
  }

  void send_raw(const std::string& bytes) { send(ends_[0], bytes.data(), bytes.size(), 0); }
  void send_length(std::uint64_t length) { send(ends_[0], &length, sizeof length, 0); }
  Arrival receive() { return reader_.receive(ends_[1], json_); }

  int ends_[2] = {-1, -1};
  FrameReader reader_;
  Json json_;
};

TEST_F(Frame, NumbersSurviveBitForBit) {
  const Json sent = {{"x", {0.1, -0.0, 5e-324, 1.7976931348623157e308}}, {"n", UINT64_MAX}};
  ASSERT_TRUE(write_frame(ends_[0], sent));
  ASSERT_EQ(receive(), Arrival::frame);
  EXPECT_EQ(json_, sent);
  EXPECT_TRUE(std::signbit(json_["x"][1].get<double>()));
}

TEST_F(Frame, BytesThatAreNoTextDoNotStopAnAnswer) {
  ASSERT_TRUE(write_frame(ends_[0], {{"message", "broken \xff"}}));
  EXPECT_EQ(receive(), Arrival::frame);
}

TEST_F(Frame, ArrivesInPieces) {
  EXPECT_EQ(receive(), Arrival::nothing);
  send_length(2);
  EXPECT_EQ(receive(), Arrival::nothing);
  send_raw("{");
  EXPECT_EQ(receive(), Arrival::nothing);
  send_raw("}");
  EXPECT_EQ(receive(), Arrival::frame);
  EXPECT_EQ(json_, Json::object());
}

TEST_F(Frame, TwoAtOnceAreTwo) {
  write_frame(ends_[0], {{"n", 1}});
  write_frame(ends_[0], {{"n", 2}});
  EXPECT_EQ(receive(), Arrival::frame);
  EXPECT_EQ(receive(), Arrival::frame);
  EXPECT_EQ(json_["n"], 2);
  EXPECT_EQ(receive(), Arrival::nothing);
}

TEST_F(Frame, ALengthBeyondTheLimitIsBroken) {
  send_length(std::uint64_t{5} << 30);
  EXPECT_EQ(receive(), Arrival::broken);
}

TEST_F(Frame, WhatIsNoObjectOrTooDeepIsBroken) {
  for (const std::string& text : {std::string("[1]"), std::string("}{"),
                                  std::string(100'000, '[') + std::string(100'000, ']')}) {
    FrameReader reader;
    send_length(text.size());
    send_raw(text);
    EXPECT_EQ(reader.receive(ends_[1], json_), Arrival::broken) << text.substr(0, 9);
  }
}

TEST_F(Frame, TheEndIsTheEnd) {
  send_length(100);
  shutdown(ends_[0], SHUT_WR);
  EXPECT_EQ(receive(), Arrival::end);
}

}  // namespace
}  // namespace plumb
