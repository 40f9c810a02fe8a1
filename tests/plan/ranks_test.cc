// Who a rank's partners are, and what the axes divide.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "checker/plan/axes.h"
#include "checker/plan/placement.h"
#include "checker/plan/ranks.h"
#include "tests/plan/large.h"

namespace shardlint {
namespace {

using test::large;
using test::set;
using testing::ElementsAre;
using testing::SizeIs;

const Partners* of(const RankPlace& place, std::string_view axis) {
  for (const Partners& partners : place.partners)
    if (partners.axis == axis) return &partners;
  return nullptr;
}

TEST(Ranks, SecondCardOfTheThirdStage) {
  const auto place = rank_place(large(), 2 * 640 + 1);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->server, 160);
  EXPECT_EQ(place->card, 1);
  ASSERT_THAT(place->partners, SizeIs(3));
  const Partners& tp = *of(*place, "TP");
  EXPECT_THAT(tp.ranks, ElementsAre(1280, 1282, 1283, 1284, 1285, 1286, 1287)) << "7 in its server";
  EXPECT_EQ(tp.in_server, 7);
  EXPECT_EQ(tp.position, 1);
  EXPECT_EQ(tp.link, Link::NVLink);
  EXPECT_THAT(of(*place, "PP")->ranks, ElementsAre(641, 1921)) << "two neighbouring stages";
  EXPECT_EQ(of(*place, "PP")->position, 2);
  EXPECT_THAT(of(*place, "DP")->ranks, SizeIs(79)) << "79 replicas";
  EXPECT_EQ(of(*place, "DP")->in_server, 0);
  EXPECT_EQ(of(*place, "DP")->link, Link::Network);
}

TEST(Ranks, TheFirstStageHasOneNeighbour) {
  EXPECT_THAT(of(*rank_place(large(), 0), "PP")->ranks, ElementsAre(640));
  EXPECT_THAT(of(*rank_place(large(), 5119), "PP")->ranks, ElementsAre(5119 - 640));
  EXPECT_FALSE(rank_place(large(), 5120));
  EXPECT_FALSE(rank_place(large(), -1));
}

TEST(Ranks, AnotherOrder) {
  Plan plan = large();
  set(plan.rank_order, "tp-cp-ep-pp-dp");
  EXPECT_EQ(reach(plan, "PP")->stride, 8);
  EXPECT_EQ(reach(plan, "DP")->stride, 64);
  set(plan.rank_order, "tp-dp-pp");
  EXPECT_EQ(reach(plan, "DP")->stride, 8);
  EXPECT_EQ(reach(plan, "CP")->group, 1) << "an axis of one rank need not be named";
  set(plan.cp, i64{2});
  EXPECT_FALSE(reach(plan, "CP"));
  set(plan.rank_order, "by the moon");
  EXPECT_FALSE(reach(plan, "TP"));
}

TEST(Ranks, AsManyAsSomebodyWouldRead) {
  Plan plan = large();
  const auto replicas = [&](i64 dp) { set(plan.tp, i64{1}), set(plan.pp, i64{1}), set(plan.dp, dp), set(plan.world_size, dp); };
  replicas(i64{1} << 20);
  EXPECT_TRUE(rank_place(plan, 0));
  replicas((i64{1} << 20) + 1);
  EXPECT_FALSE(rank_place(plan, 0));
  set(plan.pp, i64{100'000});
  EXPECT_TRUE(first_replica(plan));
  set(plan.pp, i64{100'001});
  EXPECT_FALSE(first_replica(plan));
  set(plan.tp, i64{1} << 39), set(plan.pp, i64{1} << 39);
  EXPECT_FALSE(first_replica(plan)) << "nor can they be counted";
  EXPECT_EQ(link_of(plan, {i64{1} << 39, i64{1} << 39}), Link::Network);
}

TEST(Ranks, ExpertsHaveAGridOfTheirOwn) {
  Plan plan = large();
  set(plan.tp, i64{2}), set(plan.dp, i64{320}), set(plan.ep, i64{4}), set(plan.etp, i64{2});
  EXPECT_THAT(of(*rank_place(plan, 5), "EP")->ranks, ElementsAre(1, 3, 7));
  set(plan.etp, i64{1});
  EXPECT_THAT(of(*rank_place(plan, 5), "EP")->ranks, ElementsAre(4, 6, 7));
}

// "axis: weights gradients optimizer activations"
std::string shares(const Plan& plan) {
  std::string out;
  for (const AxisShare& share : axis_shares(plan))
    out += fmt::format("{}: {:.3g} {:.3g} {:.3g} {:.3g}\n", share.axis, share.weights, share.gradients, share.optimizer, share.activations);
  return out;
}

TEST(Axes, WhoDividesWhat) {
  Plan plan = large();
  set(plan.num_microbatches, i64{32});
  EXPECT_EQ(shares(plan), "TP: 8 8 8 2.62\nPP: 8 8 8 1\nDP: 1 1 1 1\n");
  set(plan.sp, true), set(plan.zero_stage, i64{1});
  EXPECT_EQ(shares(plan), "TP+SP: 8 8 8 8\nPP: 8 8 8 1\nZeRO 1: 1 1 80 1\n");
  set(plan.num_microbatches, i64{2}), set(plan.zero_stage, i64{2}), set(plan.cp, i64{2}), set(plan.dp, i64{40});
  EXPECT_EQ(shares(plan), "TP+SP: 8 8 8 8\nCP: 1 1 1 2\nPP: 8 8 8 4\nZeRO 2: 1 80 80 1\n");
  set(plan.ep, i64{8}), set(plan.fsdp, true), set(plan.zero_stage, i64{3});
  EXPECT_EQ(shares(plan), "TP+SP: 8 8 8 8\nCP: 1 1 1 2\nPP: 8 8 8 4\nEP: 8 8 8 1\nFSDP: 80 80 80 1\n");
  set(plan.hybrid_shard, true), set(plan.dp_replicate, i64{10}), set(plan.distributed_optimizer, true);
  EXPECT_THAT(shares(plan), testing::HasSubstr("hybrid FSDP: 8 8 80 1\n"));
}

}  // namespace
}  // namespace shardlint
