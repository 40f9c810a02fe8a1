// The picture of a plan: read back from a browser, and held against `plan --format json`.
#include "checker/report/html.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <llvm/Support/JSON.h>

#include "checker/engine/check.h"
#include "checker/report/plan.h"
#include "tests/folder.h"

namespace shardlint {
namespace {

using testing::HasSubstr;
using testing::Not;

CheckResult plan_of(std::string_view text) {
  CheckOptions asked;
  asked.paths = {"plan.toml"};
  asked.command_line.framework = "plan";
  asked.isolated = true, asked.fixes = false;
  Overlay files(nullptr);
  files.put("plan.toml", std::string(text));
  return check(files, asked);
}

constexpr std::string_view kDense = R"(
nodes = 640
gpus_per_node = 8
gpu = "H100"
tp = 8
pp = 8
sp = true
micro_batch = 1
global_batch = 2560
seq_length = 4096
layers = 96
hidden = 20480
heads = 160
kv_groups = 160
ffn_hidden = 81920
vocab = 51200
experts = 0
distributed_optimizer = true
precision.weights = "bf16"
precision.grads = "fp32"
recompute.granularity = "full"
train_tokens = 1_000_000_000_000
)";

constexpr std::string_view kExperts = R"(
nodes = 64
gpus_per_node = 4
gpu = "GB200"
pp = 4
ep = 64
vpp = 4
micro_batch = 1
global_batch = 4096
seq_length = 4096
layers = 64
hidden = 7168
heads = 128
head_dim = 128
ffn_hidden = 18432
moe_ffn_hidden = 2048
experts = 256
topk = 8
vocab = 129280
gated_mlp = true
distributed_optimizer = true
precision.weights = "bf16"
)";

constexpr std::string_view kSharded = R"(
nodes = 1
gpus_per_node = 8
gpu = "H100"
fsdp = true
micro_batch = 1
global_batch = 64
seq_length = 4096
layers = 32
hidden = 4096
heads = 32
kv_groups = 8
ffn_hidden = 14336
vocab = 128256
gated_mlp = true
experts = 0
precision.weights = "bf16"
)";

constexpr std::string_view kUnknown = "world_size = 64\ntp = 4\npp = 4\n";

std::string tensor_group_of_72(int gpus_per_node, std::string_view gpu) {
  return fmt::format("nodes = {}\ngpus_per_node = {}\ngpu = \"{}\"\ntp = 72\n", 144 * 8 / gpus_per_node, gpus_per_node, gpu);
}

// What a browser makes of a page, and what it says while it does.
struct Shown {
  std::string dom, log;
};

class HtmlInBrowser : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) GTEST_SKIP() << "chromium is not installed: ./dev test installs it";
  }

  Shown show(const std::string& html) const {
    folder_.write("plan.html", html);
    const std::string command = fmt::format(
        "cd '{}' && timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir=profile --enable-logging=stderr "
        "--virtual-time-budget=2000 --dump-dom plan.html >dom 2>log",
        folder_.path());
    EXPECT_EQ(std::system(command.c_str()), 0);
    return {folder_.read("dom"), folder_.read("log")};
  }

 private:
  const test::Folder folder_;
};

std::string attribute(const std::string& element, std::string_view name) {
  const std::string mark = fmt::format(" {}=\"", name);
  const std::size_t at = element.find(mark);
  if (at == std::string::npos) return "";
  return element.substr(at + mark.size(), element.find('"', at + mark.size()) - at - mark.size());
}

// "memory.stages[0].total.low" below `root`; null if it is not there. A field's own name may hold a dot.
const llvm::json::Value* at_path(const llvm::json::Value* root, std::string_view path) {
  if (path.empty()) return root;
  if (!root) return nullptr;
  if (path[0] == '[') {
    const auto index = static_cast<std::size_t>(std::atoi(path.data() + 1));
    const auto* array = root->getAsArray();
    std::string_view rest = path.substr(path.find(']') + 1);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    return array && index < array->size() ? at_path(&(*array)[index], rest) : nullptr;
  }
  const auto* object = root->getAsObject();
  for (std::size_t end = 0; object && end <= path.size(); ++end) {
    if (end < path.size() && path[end] != '.' && path[end] != '[') continue;
    const auto* inner = object->get(llvm::StringRef(path.data(), end));
    if (!inner) continue;
    std::string_view rest = path.substr(end);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    if (const auto* found = at_path(inner, rest)) return found;
  }
  return nullptr;
}

// Every number that is drawn is the one that stands in the JSON, and its bar is as long as it says. Returns how many there are.
int hold_against_json(const std::string& dom, const std::string& json_text) {
  auto json = llvm::json::parse(json_text);
  if (!json) {
    llvm::consumeError(json.takeError());
    ADD_FAILURE() << "the JSON does not parse";
    return 0;
  }
  int numbers = 0;
  const llvm::json::Value* plan = nullptr;
  std::string row;
  double scale = 0;
  const std::regex tag("<[a-z][^>]*>");
  for (auto match = std::sregex_iterator(dom.begin(), dom.end(), tag); match != std::sregex_iterator(); ++match) {
    const std::string element = match->str();
    if (element.starts_with("<article")) plan = at_path(&*json, fmt::format("plans[{}]", attribute(element, "data-plan")));
    if (const std::string own = attribute(element, "data-row"); !own.empty()) row = own;
    if (element.starts_with("<svg")) scale = std::atof(attribute(element, "data-scale").c_str());
    if (const std::string slot = attribute(element, "data-slot"); !slot.empty()) {
      const auto* work = at_path(plan, fmt::format("{}[{}]", row, slot));
      const auto* object = work ? work->getAsObject() : nullptr;
      EXPECT_TRUE(object) << row << " " << slot;
      if (!object) continue;
      EXPECT_EQ(object->getInteger("micro_batch"), std::atoi(attribute(element, "data-batch").c_str()));
      EXPECT_EQ(object->getNumber("begin"), std::atof(attribute(element, "data-begin").c_str()));
      EXPECT_EQ(object->getNumber("end"), std::atof(attribute(element, "data-end").c_str()));
      EXPECT_EQ(object->getString("pass") == llvm::StringRef("forward"), attribute(element, "class").starts_with("forward"));
      ++numbers;
    }
    const std::string path = attribute(element, "data-path"), value = attribute(element, "data-value");
    if (path.empty()) continue;
    ++numbers;
    const auto* expected = at_path(plan, path);
    EXPECT_TRUE(expected) << path;
    if (!expected) continue;
    if (const auto number = expected->getAsNumber()) {
      EXPECT_EQ(*number, std::atof(value.c_str())) << path;
    } else if (const auto text = expected->getAsString()) {
      EXPECT_EQ(text->str(), value) << path;
    } else {
      ADD_FAILURE() << path << " is no number";
    }
    if (element.starts_with("<rect") && scale > 0) {
      EXPECT_NEAR(std::atof(attribute(element, "width").c_str()) * scale, std::atof(value.c_str()), 0.006 * scale) << path;
    }
  }
  return numbers;
}

TEST_F(HtmlInBrowser, EveryNumberThatIsDrawnIsThePlansOwn) {
  const std::pair<std::string_view, int> plans[] = {{kDense, 700}, {kExperts, 300}, {kSharded, 90}, {kUnknown, 15}};
  for (const auto& [text, least] : plans) {
    const CheckResult result = plan_of(text);
    const Shown shown = show(plan_html(result, ""));
    EXPECT_THAT(shown.log, Not(HasSubstr("CONSOLE")));
    EXPECT_GE(hold_against_json(shown.dom, plan_json(result, "")), least) << text;
  }
}

TEST_F(HtmlInBrowser, ArrowKeysReadTheTimeline) {
  std::string html = plan_html(plan_of(kDense), "");
  const std::string press =
      "<script>for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'Tab'])"
      "document.querySelector('.timeline').dispatchEvent(new KeyboardEvent('keydown', {key}));</script></body>";
  html.replace(html.find("</body>"), 7, press);
  const Shown shown = show(html);
  EXPECT_THAT(shown.log, Not(HasSubstr("CONSOLE")));
  EXPECT_THAT(shown.dom, HasSubstr("stage 2: forward pass of micro-batch 2, slots 2 to 3</p>"));
}

TEST(Html, ATensorGroupThatLeavesItsDomainIsRed) {
  const std::string servers = plan_html(plan_of(tensor_group_of_72(8, "B300")), "");
  EXPECT_THAT(servers, HasSubstr("class=\"plate crossing\""));
  EXPECT_THAT(servers, HasSubstr("class=\"own crossing\""));
  const std::string rack = plan_html(plan_of(tensor_group_of_72(4, "GB300")), "");
  EXPECT_THAT(rack, HasSubstr("class=\"plate\""));
  EXPECT_THAT(rack, Not(HasSubstr("class=\"plate crossing\"")));
  EXPECT_THAT(rack, Not(HasSubstr("class=\"own crossing\"")));
  const std::string words = std::regex_replace(servers, std::regex("<[^>]*>"), "");
  EXPECT_THAT(words, HasSubstr("is spread over 9 servers: its sums cross the network, 100 instead of 900 GB/s."));
}

TEST(Html, IsOneFileThatAsksNobodyForAnything) {
  for (const std::string_view text : {kDense, kExperts, kUnknown}) {
    const std::string html = plan_html(plan_of(text), "");
    EXPECT_THAT(html, Not(HasSubstr("http")));
    EXPECT_THAT(html, Not(HasSubstr("src=")));
    EXPECT_THAT(html, Not(HasSubstr("@import")));
    EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
    EXPECT_THAT(html, HasSubstr("@media print"));
  }
}

TEST(Html, BigPlansStaySmall) {
  std::string big(kDense);
  for (const auto& [from, to] : {std::pair{"nodes = 640", "nodes = 2048"}, {"pp = 8", "pp = 32"}, {"2560", "16384"}})
    big.replace(big.find(from), std::string_view(from).size(), to);
  const std::string html = plan_html(plan_of(big), "");
  EXPECT_LT(html.size(), 400'000u);
  EXPECT_THAT(html, HasSubstr("64</span> replicas"));
}

TEST(Html, EveryDrawingHasAName) {
  const std::string html = plan_html(plan_of(kDense), "");
  const std::regex svg("<svg[^>]*>");
  for (auto match = std::sregex_iterator(html.begin(), html.end(), svg); match != std::sregex_iterator(); ++match) {
    const std::string element = match->str();
    EXPECT_TRUE(!attribute(element, "aria-label").empty() || attribute(element, "aria-hidden") == "true") << element;
  }
}

TEST(Html, SaysWhatItDoesNotDraw) {
  const std::string words = std::regex_replace(plan_html(plan_of(kUnknown), ""), std::regex("<[^>]*>"), "");
  EXPECT_THAT(words, HasSubstr("How many GPUs a server has nobody says."));
  EXPECT_THAT(words, HasSubstr("memory of one GPU: nobody says layers, hidden"));
}

TEST(Html, NamesAreText) {
  CheckOptions asked;
  asked.paths = {"a<b>&.toml"};
  asked.command_line.framework = "plan", asked.isolated = true;
  Overlay files(nullptr);
  files.put("a<b>&.toml", "tp = 1\n");
  const std::string html = plan_html(check(files, asked), "");
  EXPECT_THAT(html, HasSubstr("a&lt;b&gt;&amp;.toml"));
  EXPECT_THAT(html, Not(HasSubstr("<b>&")));
}

}  // namespace
}  // namespace shardlint
