// plan --rank as a person reads it.
#include "checker/report/axes.h"
#include "tests/plan/large.h"

#include <gmock/gmock.h>

namespace shardlint {
namespace {

using test::large;
using test::set;

TEST(RankText, NamesThePartnersOfOneGpu) {
  EXPECT_EQ(rank_text(large(), 1281, Paint(false)), R"(
rank 1,281  card 1 of server 160
  TP  2 of 8      7 partners               over NVLink: ranks 1280, 1282 to 1287; 7 in its server
  PP  3 of 8      2 neighbouring stages    over network: ranks 641, 1921; in servers 80, 240
  DP  1 of 80     79 replicas              over network: ranks 1289, 1297, 1305, 1313, 1321, 1329, ..., 1913; in servers 161 to 239
)");
  EXPECT_EQ(rank_text(large(), 5120, Paint(false)), "");
}

TEST(RankText, JsonHasEveryPartner) {
  std::string out;
  JsonParts parts(out, "");
  parts.json().object([&] { rank_json(parts, large(), 1281); });
  for (const char* expected : {"\"server\": 160", "\"card\": 1", "\"axis\": \"PP\"", "641", "1921", "\"in_server\": 7"})
    EXPECT_THAT(out, testing::HasSubstr(expected));
}

TEST(AxesText, SayWhatDividesAndWhatItPays) {
  Plan plan = large();
  set(plan.sp, true), set(plan.zero_stage, i64{1}), set(plan.num_microbatches, i64{32}), set(plan.schedule, "1f1b");
  EXPECT_EQ(axes_text(axis_shares(plan), Paint(false)), R"(
who divides what
  axis          ranks  weights gradients optimizer activations  pays with
  TP+SP             8      / 8       / 8       / 8         / 8  nothing that is known
  PP                8      / 8       / 8       / 8           -  17.9 % of the step idle
  ZeRO 1           80        -         -      / 80           -  nothing that is known
)");
}

}  // namespace
}  // namespace shardlint
