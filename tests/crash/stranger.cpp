// Those whom a driver and an agent should not trust, over the transport that they use themselves.
//
// usage: stranger keys NET FOLDER           writes certificates of several worth, for other clients
//        stranger driver NET HELLO          a driver of the agent that comes; keeps the Hello
//        stranger knock ADDRESS NET HELLO   a client with a good certificate that says bad things
//
// NET is the folder `net/` of a study. What was tried is printed as "NAME SECONDS", the seconds
// until it was refused or answered.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "runtime/net/messages.h"
#include "runtime/net/transport.h"

namespace {

namespace fs = std::filesystem;
using rt::net::Channel;
using rt::net::Frame;
using rt::net::LinkId;
using rt::net::Message;

constexpr double kLongest = 10;  ///< seconds to wait for anything

void write(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}
void write(const fs::path& path, const base::Bytes& bytes) {
  write(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

rt::net::Authority authority_in(const fs::path& net) {
  return {base::read_file(net / "authority.crt"), base::read_file(net / "authority.key")};
}

void report(const std::string& name, base::Moment since, base::Moment until = base::now()) {
  std::cout << name << " " << base::seconds(until - since) << std::endl;
}

// --- certificates

using Memory = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
Memory memory_of(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free_all};
}

/// The certificate as if it had been good until an hour ago.
std::string expired(const rt::net::Identity& identity, const rt::net::Authority& authority) {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      PEM_read_bio_X509(memory_of(identity.certificate).get(), nullptr, nullptr, nullptr),
      &X509_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> signer(
      PEM_read_bio_PrivateKey(memory_of(authority.key).get(), nullptr, nullptr, nullptr),
      &EVP_PKEY_free);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), -3600);
  const Memory out(BIO_new(BIO_s_mem()), &BIO_free_all);
  if (X509_sign(certificate.get(), signer.get(), EVP_sha256()) == 0 ||
      PEM_write_bio_X509(out.get(), certificate.get()) != 1)
    throw std::runtime_error("OpenSSL could not sign");
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

void make_keys(const fs::path& net, const fs::path& folder) {
  rt::net::Network& network = rt::net::load_network();
  const rt::net::Authority authority = authority_in(net);
  rt::net::Identity own = network.issue(authority, false);
  const rt::net::Identity other = network.issue(network.make_authority(), false);
  const auto keep = [&](const std::string& name, const rt::net::Identity& identity) {
    write(folder / (name + ".crt"), identity.certificate);
    write(folder / (name + ".key"), identity.key);
  };
  keep("good", own);
  keep("other", other);
  own.certificate = expired(own, authority);
  keep("expired", own);
}

// --- links

/// What came over the links, for a thread that waits.
class Events final : public rt::net::Inbox {
 public:
  void opened(LinkId link) override {
    add([&] { opened_.push_back(link); });
  }
  void received(LinkId, base::Bytes frame) override {
    add([&] { frames_.push_back(rt::net::decode_frame(frame)); });
  }
  void closed(LinkId link, std::string why) override {
    add([&] {
      if (link != 0) {
        ++closed_;
        closed_at_ = base::now();
      } else {
        not_opened_ = why;
      }
    });
  }

  LinkId next_link() {
    await([&] { return !opened_.empty(); }, "nobody came");
    const std::scoped_lock lock(mutex_);
    return std::exchange(opened_, {}).back();
  }
  /// Dials until there is a link, as an agent does.
  LinkId dial(rt::net::Transport& transport, const std::string& address) {
    for (int i = 0; i < 10; ++i) {
      transport.dial(address);
      await([&] { return !opened_.empty() || not_opened_; }, "nobody answers");
      const std::scoped_lock lock(mutex_);
      if (!opened_.empty()) return std::exchange(opened_, {}).back();
      std::cerr << "not let in: " << *std::exchange(not_opened_, {}) << std::endl;
    }
    throw std::runtime_error("a good certificate is not let in");
  }
  /// Waits for the end of a link.
  void await_end() {
    await([&] { return closed_ > 0; }, "the link stays open");
    const std::scoped_lock lock(mutex_);
    --closed_;
    opened_.clear();
    frames_.clear();
  }
  [[nodiscard]] base::Moment closed_at() {
    const std::scoped_lock lock(mutex_);
    return closed_at_;
  }
  /// The next message of that kind; others are dropped.
  template <class M>
  M next() {
    return std::get<M>(next_frame<M>().message);
  }
  template <class M>
  Frame next_frame() {
    std::optional<Frame> found;
    await(
        [&] {
          while (!frames_.empty() && !found) {
            if (std::holds_alternative<M>(frames_.front().message)) found = frames_.front();
            frames_.erase(frames_.begin());
          }
          return found.has_value();
        },
        "an answer is missing");
    return *found;
  }

 private:
  template <class Add>
  void add(Add what) {
    const std::scoped_lock lock(mutex_);
    what();
    changed_.notify_all();
  }
  template <class Condition>
  void await(Condition condition, const char* otherwise) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::duration<double>(kLongest), condition))
      throw std::runtime_error(otherwise);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<LinkId> opened_;
  std::vector<Frame> frames_;
  std::size_t closed_ = 0;
  base::Moment closed_at_;
  std::optional<std::string> not_opened_;
};

base::Bytes random_bytes(base::Stream& dice, std::size_t size) {
  base::Bytes bytes(size);
  for (std::byte& each : bytes) each = static_cast<std::byte>(dice.below(256));
  return bytes;
}
base::Key random_key(base::Stream& dice) {
  return {dice.below(UINT64_MAX), dice.below(UINT64_MAX)};
}
std::string random_text(base::Stream& dice) {
  std::string text;
  for (const std::byte each : random_bytes(dice, dice.below(40)))
    text.push_back(static_cast<char>(each));
  return text;
}

rt::net::Call random_call(base::Stream& dice) {
  rt::net::Call call;
  call.task = random_text(dice);
  call.version = static_cast<std::int32_t>(dice.below(4));
  call.signature = dice.below(UINT64_MAX);
  call.constants = random_bytes(dice, dice.below(100));
  for (std::uint64_t i = dice.below(4); i-- > 0;) call.inputs.push_back(random_key(dice));
  for (std::uint64_t i = dice.below(4); i-- > 0;) call.outputs.push_back(random_key(dice));
  call.back = std::vector<std::uint8_t>(dice.below(4), 1);
  return call;
}

/// One message of each kind that an agent says, and of each that a driver says.
std::vector<Message> random_messages(base::Stream& dice) {
  rt::net::Outcome outcome;
  outcome.outputs.resize(dice.below(3));
  rt::net::Parcel parcel;
  parcel.id = dice.below(UINT64_MAX);
  parcel.calls = {random_call(dice), random_call(dice)};
  std::vector<Message> all;
  all.emplace_back(rt::net::Holds{{{random_key(dice), dice.below(UINT64_MAX)}}});
  all.emplace_back(rt::net::Gone{random_key(dice)});
  all.emplace_back(rt::net::Give{random_key(dice), dice.below(100), 100, random_bytes(dice, 50)});
  all.emplace_back(rt::net::Ask{random_key(dice), dice.below(100)});
  all.emplace_back(rt::net::Beat{dice.below(UINT64_MAX)});
  all.emplace_back(rt::net::Told{dice.below(UINT64_MAX), 0, random_key(dice), random_text(dice)});
  all.emplace_back(rt::net::Answer{dice.below(UINT64_MAX), 0, random_key(dice), outcome});
  all.emplace_back(
      rt::net::Wishes{{{.number = 1, .most = 3, .terms = random_bytes(dice, dice.below(60))}}});
  all.emplace_back(rt::net::LoanOver{dice.below(UINT64_MAX)});
  all.emplace_back(rt::net::Lend{dice.below(UINT64_MAX), random_bytes(dice, 20)});
  all.emplace_back(rt::net::Cancel{dice.below(UINT64_MAX)});
  all.emplace_back(rt::net::Drop{{random_key(dice)}});
  all.emplace_back(rt::net::Run{parcel});
  all.emplace_back(rt::net::Welcome{dice.below(UINT64_MAX), 1, 1});
  all.emplace_back(
      rt::net::Refused{dice.below(UINT64_MAX), rt::net::Unwanted::other_program, "no"});
  all.emplace_back(rt::net::Leaving{});
  all.emplace_back(rt::net::Bye{});
  return all;
}

// --- a client

/// Opens links one after the other, and says one bad thing on each.
class Stranger {
 public:
  Stranger(std::string address, const fs::path& net, const fs::path& hello)
      : address_(std::move(address)),
        identity_(rt::net::load_network().issue(authority_in(net), false)),
        hello_(std::get<rt::net::Hello>(rt::net::decode_frame(base::read_bytes(hello)).message)),
        transport_(rt::net::load_network().connect(identity_, rt::net::Listener::driver, events_)) {
  }

  void knock() {
    Events silence;
    const auto transport =
        rt::net::load_network().connect(identity_, rt::net::Listener::driver, silence);
    (void)silence.dial(*transport, address_);
    const base::Moment begin = base::now();
    say_bad_things();
    silence.await_end();
    report("silence", begin, silence.closed_at());
  }

 private:
  void say_bad_things() {
    for (const std::size_t size : {0, 1, 4, 100, 500'000, 600'000}) {
      for (const Channel channel : {Channel::control, Channel::bulk}) {
        const base::Bytes bytes = random_bytes(dice_, size);
        try_it(base::cat("bytes-", size), [&](LinkId link) { send(link, channel, bytes); });
      }
    }
    base::Bytes almost = rt::net::encode_frame({1, 1, 1, rt::net::Beat{}});
    almost.resize(4);
    for (const std::byte each : random_bytes(dice_, 300)) almost.push_back(each);
    try_it("almost-a-frame", [&](LinkId link) { send(link, Channel::control, almost); });
    for (const std::uint32_t agent : {0U, 77U}) {
      for (const Message& message : random_messages(dice_)) {
        try_it(base::cat("message-", message.index(), "-of-", agent), [&](LinkId link) {
          say(link, {agent == 0 ? 0U : 1U, agent, agent == 0 ? 0U : 1U, message});
        });
      }
    }
    greet_badly();
    half_a_link();
    answer_what_it_never_got();
  }
  template <class Say>
  void try_it(const std::string& name, Say say) {
    const LinkId link = events_.dial(*transport_, address_);
    const base::Moment begin = base::now();
    say(link);
    events_.await_end();
    report(name, begin);
  }
  void send(LinkId link, Channel channel, base::Bytes bytes) {
    transport_->send(link, channel, std::move(bytes));
  }
  void say(LinkId link, const Frame& frame) {
    send(link, channel_of(frame.message), rt::net::encode_frame(frame));
  }
  rt::net::Hello hello() {
    rt::net::Hello hello = hello_;
    hello.nonce = dice_.below(UINT64_MAX);
    hello.epoch = 0;
    hello.node = "stranger";
    hello.slots = 1;
    return hello;
  }

  void greet_badly() {
    rt::net::Hello other = hello();
    other.build = "another";
    try_it("hello-of-another-build", [&](LinkId link) {
      say(link, {0, 0, 0, other});
      (void)events_.next<rt::net::Refused>();
    });
    try_it("hello-again", [&](LinkId link) { say(link, {0, 0, 0, other}); });
    other = hello();
    other.arithmetic = random_text(dice_);
    try_it("hello-of-another-arithmetic", [&](LinkId link) {
      say(link, {0, 0, 0, other});
      (void)events_.next<rt::net::Refused>();
    });
    rt::net::Hello empty;
    empty.nonce = dice_.below(UINT64_MAX);
    try_it("empty-hello", [&](LinkId link) { say(link, {0, 0, 0, empty}); });
  }

  /// A good Hello on one stream alone.
  void half_a_link() {
    grpc::SslCredentialsOptions ssl{identity_.authority, identity_.key, identity_.certificate};
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride("trellis-driver");
    const base::Moment begin = base::now();
    grpc::GenericStub stub(
        grpc::CreateCustomChannel(address_, grpc::SslCredentials(ssl), arguments));
    struct Stream final : grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
      grpc::ClientContext context;
      grpc::ByteBuffer out, in;
      std::mutex mutex;
      std::condition_variable changed;
      bool over = false;
      void OnDone(const grpc::Status&) override {
        const std::scoped_lock lock(mutex);
        over = true;
        changed.notify_all();
      }
    } stream;
    const base::Bytes frame = rt::net::encode_frame({0, 0, 0, hello()});
    const grpc::Slice slice(frame.data(), frame.size());
    stream.out = grpc::ByteBuffer(&slice, 1);
    stream.context.AddMetadata("trellis-link", "half");
    stub.PrepareBidiStreamingCall(&stream.context, "/trellis/control", {}, &stream);
    stream.StartRead(&stream.in);
    stream.StartWrite(&stream.out);
    stream.StartCall();
    std::unique_lock lock(stream.mutex);
    if (!stream.changed.wait_for(lock, std::chrono::duration<double>(kLongest),
                                 [&] { return stream.over; }))
      throw std::runtime_error("half a link stays open");
    report("half-a-link", begin);
  }

  /// Is taken for an agent, and then says what is an agent's to say about what it never got.
  void answer_what_it_never_got() {
    for (const bool of_a_driver : {false, true}) {
      const LinkId link = events_.dial(*transport_, address_);
      base::Moment begin = base::now();
      say(link, {0, 0, 0, hello()});
      const auto welcome = events_.next<rt::net::Welcome>();
      report("welcome", begin);
      begin = base::now();
      std::array<std::uint64_t, rt::net::kChannels> numbers{};
      const auto next = [&](Message message) {
        const auto channel = static_cast<std::size_t>(channel_of(message));
        say(link, {welcome.epoch, welcome.agent, ++numbers[channel], std::move(message)});
      };
      for (std::uint64_t parcel = 1; parcel < 40; ++parcel)
        next(rt::net::Answer{parcel, 0, random_key(dice_), {}});
      for (Message& message : random_messages(dice_)) {
        const bool answer = std::holds_alternative<rt::net::Answer>(message);
        if (answer && of_a_driver) continue;
        next(std::move(message));
        if (answer || message.index() == Message(rt::net::Run{}).index()) break;
      }
      events_.await_end();
      report(of_a_driver ? "run-for-the-driver" : "answer-to-nothing", begin);
    }
  }

  const std::string address_;
  const rt::net::Identity identity_;
  const rt::net::Hello hello_;
  base::Stream dice_{1, "stranger"};
  Events events_;
  std::unique_ptr<rt::net::Transport> transport_;
};

// --- a driver

/// The driver of one agent, which it has answer calls of tasks that nobody has.
class OddDriver {
 public:
  explicit OddDriver(const fs::path& net) {
    rt::net::Network& network = rt::net::load_network();
    const rt::net::Authority authority = network.make_authority();
    fs::create_directories(net);
    write(net / "authority.crt", authority.certificate);
    write(net / "authority.key", authority.key);
    transport_ = network.listen(network.issue(authority, true), "127.0.0.1", events_);
    write(net / "driver.json",
          base::cat("{\"address\": \"", transport_->address(), "\", \"epoch\": 1}\n"));
    std::cout << "listens" << std::endl;
  }

  void drive(const fs::path& hello) {
    welcome();
    write(hello, rt::net::encode_frame({0, 0, 0, hello_}));
    call_unknown("unknown-task");
    base::Moment begin = base::now();
    transport_->send(link_, Channel::control, random_bytes(dice_, 1000));
    events_.await_end();
    report("bytes-to-the-agent", begin);
    welcome();
    call_unknown("unknown-task-after-bytes");
    std::vector<Message> messages = random_messages(dice_);
    messages.pop_back();  // a Bye would end it
    for (const Message& message : messages) say(message);
    call_unknown("unknown-task-after-messages");
    say(rt::net::Bye{});
    events_.await_end();
  }

 private:
  void welcome() {
    link_ = events_.next_link();
    hello_ = events_.next<rt::net::Hello>();
    numbers_ = {};
    ++agent_;
    transport_->send(link_, Channel::control,
                     rt::net::encode_frame({0, 0, 0, rt::net::Welcome{hello_.nonce, agent_, 1}}));
  }
  void say(Message message) {
    const Channel channel = channel_of(message);
    const std::uint64_t number = ++numbers_[static_cast<std::size_t>(channel)];
    transport_->send(link_, channel,
                     rt::net::encode_frame({1, agent_, number, std::move(message)}));
  }
  void call_unknown(const std::string& name) {
    const base::Moment begin = base::now();
    rt::net::Parcel parcel;
    parcel.id = ++parcel_;
    for (int i = 0; i < 50; ++i) parcel.calls.push_back(random_call(dice_));
    say(rt::net::Run{parcel});
    for (std::size_t left = parcel.calls.size(); left > 0;) {
      const auto answer = events_.next<rt::net::Answer>();
      if (answer.parcel != parcel.id) continue;
      --left;
      if (answer.outcome.end != rt::net::End::failed ||
          answer.outcome.trouble.reason.find("there is no task") == std::string::npos)
        throw std::runtime_error("a call of no task was answered: " +
                                 answer.outcome.trouble.reason);
    }
    report(name, begin);
  }

  base::Stream dice_{2, "driver"};
  Events events_;
  std::unique_ptr<rt::net::Transport> transport_;
  LinkId link_ = 0;
  rt::net::Hello hello_;
  std::uint32_t agent_ = 0;
  std::array<std::uint64_t, rt::net::kChannels> numbers_{};
  rt::net::ParcelId parcel_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  ::alarm(60);
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 3 && words[0] == "keys") {
      make_keys(words[1], words[2]);
    } else if (words.size() == 3 && words[0] == "driver") {
      OddDriver(words[1]).drive(words[2]);
    } else if (words.size() == 4 && words[0] == "knock") {
      Stranger(words[1], words[2], words[3]).knock();
    } else {
      std::cerr << "usage: stranger keys|driver|knock ...\n";
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
