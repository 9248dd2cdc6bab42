#include "schedule/files/block_execution.h"

#include <gmock/gmock.h>

#include <functional>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/error.h"
#include "machine.h"
#include "msccl_interpreter.h"
#include "random_execution.h"
#include "schedule/all_to_all/all_to_all.h"
#include "schedule/files/msccl_file.h"
#include "schedule/files/msccl_print.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;

struct RightFile {
  std::string name;
  Machine machine;
  Collective collective;
  Bytes size;
  std::string text;
};

std::vector<RightFile> right_files() {
  std::vector<RightFile> files;
  const auto add = [&](const char* algorithm, Collective collective, Machine machine) {
    const Bytes size = Bytes{4} * 2 * machine.topology.num_accelerators();
    const Schedule schedule = machine.compile(algorithm, collective, size);
    const std::string name = fmt::format("{} on {}", algorithm, machine.topology.name());
    const std::string text = to_msccl(machine.topology, schedule);
    files.push_back({name, std::move(machine), collective, size, text});
  };
  add("ring", Collective::kAllReduce, built(topology::Kind::kRing, {3}));
  add("direct", Collective::kAllReduce, built(topology::Kind::kFullyConnected, {3}));
  add("direct", Collective::kReduceScatter, built(topology::Kind::kFullyConnected, {4}));
  add("ring", Collective::kAllGather, built(topology::Kind::kRing, {4}));
  add("double_tree", Collective::kAllReduce, built(topology::Kind::kFullyConnected, {4}));
  return files;
}

// Visits all variants of `text` that differ in one respect: an attribute has another value, or a step is
// removed, moved or repeated.
void for_each_mutant(const std::string& text,
                     const std::function<void(const std::string&, std::string)>& visit) {
  pugi::xml_document original;
  original.load_string(text.c_str());
  const auto each = [&](const char* xpath, const std::function<bool(pugi::xml_node)>& change,
                        const std::string& what) {
    const std::size_t count = original.select_nodes(xpath).size();
    for (std::size_t i = 0; i < count; ++i) {
      pugi::xml_document copy;
      copy.reset(original);
      const auto nodes = copy.select_nodes(xpath);
      if (!change(nodes[i].node())) continue;
      std::ostringstream out;
      copy.save(out);
      visit(fmt::format("{} {} {}", what, xpath, i), out.str());
    }
  };
  const auto renumber = [](pugi::xml_node tb) {
    int s = 0;
    for (pugi::xml_node step : tb.children("step")) step.attribute("s") = s++;
  };
  const auto set = [](const char* name, const std::string& value) {
    return [name, value](pugi::xml_node node) {
      pugi::xml_attribute attribute = node.attribute(name);
      if (attribute.value() == value) return false;
      return attribute.set_value(value.c_str());
    };
  };
  const auto shift = [](const char* name, int by) {
    return [name, by](pugi::xml_node node) {
      pugi::xml_attribute attribute = node.attribute(name);
      return attribute.set_value(attribute.as_int() + by);
    };
  };
  for (const char* name : {"srcoff", "dstoff", "depid", "deps", "cnt", "s"}) {
    for (const int by : {-1, 1, 5}) each("//step", shift(name, by), fmt::format("{} {:+}", name, by));
  }
  each("//step", set("depid", "-1"), "no dependency");
  for (const char* buffer : {"i", "o", "s"}) {
    each("//step", set("srcbuf", buffer), std::string("srcbuf ") + buffer);
    each("//step", set("dstbuf", buffer), std::string("dstbuf ") + buffer);
  }
  for (const char* type : {"s", "r", "cpy", "re", "rrc", "rrs", "rcs", "rrcs", "nop"}) {
    each("//step", set("type", type), std::string("type ") + type);
  }
  each("//step", set("hasdep", "0"), "hasdep 0");
  each(
      "//step",
      [&](pugi::xml_node step) {
        pugi::xml_node tb = step.parent();
        tb.remove_child(step);
        renumber(tb);
        return true;
      },
      "no step");
  each(
      "//step",
      [&](pugi::xml_node step) {
        pugi::xml_node tb = step.parent();
        if (!step.next_sibling()) return false;
        tb.insert_move_after(step, step.next_sibling());
        renumber(tb);
        return true;
      },
      "later step");
  each(
      "//step",
      [&](pugi::xml_node step) {
        pugi::xml_node tb = step.parent();
        tb.insert_copy_after(step, step);
        renumber(tb);
        return true;
      },
      "step twice");
  for (const char* name : {"send", "recv", "chan", "id"}) {
    for (const int by : {-1, 1}) each("//tb", shift(name, by), fmt::format("{} {:+}", name, by));
  }
  for (const char* name : {"i_chunks", "o_chunks", "s_chunks", "id"}) {
    for (const int by : {-1, 1}) each("//gpu", shift(name, by), fmt::format("{} {:+}", name, by));
  }
  for (const char* name : {"nchunksperloop", "ngpus"}) {
    for (const int by : {-1, 1}) each("//algo", shift(name, by), fmt::format("{} {:+}", name, by));
  }
  each("//algo", set("inplace", "0"), "inplace 0");
}

// The reader's error message for `text`, or "" if it accepts the file. Tables of an accepted file must
// succeed under random timing.
std::string refusal_of(const RightFile& file, const std::string& text) {
  try {
    CompileRequest request = file.machine.request(file.collective, file.size);
    const Schedule schedule = parse_msccl(text, "a.xml", file.machine.topology, request);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      EXPECT_TRUE(RandomExecution(schedule, seed).succeeds()) << text;
    }
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  } catch (const UnsupportedError& error) {
    return error.what();
  }
}

std::string fault_of(const std::string& text, int runs) {
  try {
    return MscclInterpreter(text).find_fault(runs);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

// The reader must refuse every faulty file with the location of the fault, and accept a file only if it is
// correct for every order of its thread blocks.
TEST(BlockExecution, RejectsEveryWrongFile) {
  int wrong = 0;
  int right = 0;
  for (const RightFile& file : right_files()) {
    ASSERT_EQ(refusal_of(file, file.text), "") << file.name;
    ASSERT_EQ(fault_of(file.text, 100), "") << file.name;
    for_each_mutant(file.text, [&](const std::string& what, const std::string& text) {
      const std::string refusal = refusal_of(file, text);
      const std::string fault = fault_of(text, refusal.empty() ? 60 : 3);
      wrong += fault.empty() ? 0 : 1;
      if (!refusal.empty()) {
        EXPECT_THAT(refusal, testing::StartsWith("a.xml:")) << what;
        return;
      }
      ++right;
      EXPECT_EQ(fault, "") << file.name << ": " << what << "\n" << text;
    });
  }
  EXPECT_GE(wrong, 1000);
  EXPECT_GE(right, 100);  // mostly changed destination attributes of sends, and larger buffers
}

// An all-gather between two GPUs in which `block` is GPU 1's receiving thread block.
std::string all_gather_with(const std::string& block) {
  return fmt::format(
      R"(<algo name="x" nchannels="2" nchunksperloop="2" ngpus="2" coll="allgather" inplace="1">
<gpu id="0" i_chunks="0" o_chunks="2" s_chunks="0">
<tb id="0" send="1" recv="-1" chan="0"><step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>
<tb id="1" send="-1" recv="1" chan="0"><step s="0" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb></gpu>
<gpu id="1" i_chunks="0" o_chunks="2" s_chunks="1">
<tb id="0" send="0" recv="-1" chan="0"><step s="0" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>
{}
</gpu></algo>
)",
      block);
}

std::string receiver(const std::string& step, int channel = 0) {
  return fmt::format(
      R"(<tb id="1" send="-1" recv="0" chan="{}"><step s="0" {} depid="-1" deps="-1" hasdep="1"/></tb>)",
      channel, step);
}

std::string refusal_of_all_gather(const std::string& block) {
  RightFile file{"", built(topology::Kind::kRing, {2}), Collective::kAllGather, 8, ""};
  return refusal_of(file, all_gather_with(block));
}

TEST(BlockExecution, ReportsFaultsWithTheirLocation) {
  const std::string cell = R"(srcbuf="o" srcoff="0" dstbuf="o" cnt="1")";
  EXPECT_EQ(refusal_of_all_gather(receiver(R"(type="r" dstoff="0" )" + cell)), "");
  EXPECT_THAT(refusal_of_all_gather(receiver(R"(type="r" dstoff="7" )" + cell)),
              HasSubstr("a.xml:7:41: GPU 1, thread block 1, step 0: accesses chunk 7 of buffer o, but this "
                        "buffer has 2 chunks at GPU 1"));
  EXPECT_THAT(refusal_of_all_gather(receiver(R"(type="nop" dstoff="0" )" + cell)),
              HasSubstr("a.xml:3:41: GPU 0, thread block 0, step 0: sends a message that is never received: "
                        "GPU 1 needs 1 more steps that receive from GPU 0 on channel 0"));
  EXPECT_THAT(
      refusal_of_all_gather(receiver(R"(type="r" dstoff="1" )" + cell)),
      HasSubstr(
          "GPU 1, thread block 1, step 0: writes chunk 1 of buffer o, and step 0 of thread block 0 reads it, "
          "in an undefined order: let one wait for the other, for example with depid=\"0\" deps=\"0\""));
  EXPECT_THAT(
      refusal_of_all_gather(receiver(R"(type="r" dstoff="0" srcbuf="o" srcoff="0" dstbuf="s" cnt="1")")),
      HasSubstr("a.xml:5:2: GPU 1: at the end, chunk 0 of buffer o was never written"));
  EXPECT_THAT(refusal_of_all_gather(receiver(R"(type="r" dstoff="0" )" + cell, 1)),
              HasSubstr("GPU 1, thread block 1, step 0: waits here forever: message 0 of GPU 0 on channel 1 "
                        "is never sent"));
  EXPECT_THAT(
      refusal_of_all_gather(receiver(R"(type="rrc" dstoff="0" )" + cell)),
      HasSubstr("GPU 1, thread block 1, step 0: reads chunk 0 of buffer o before anything is written to it"));
}

// A one-pass algorithm keeps received data in scratch until it is added. This works on GPUs, but the model's
// accelerators have a single buffer.
TEST(BlockExecution, RecognisesOnePassAlgorithms) {
  std::string text =
      R"(<algo name="one_pass" nchannels="1" nchunksperloop="1" ngpus="2" coll="allreduce" inplace="1">)";
  for (int gpu = 0; gpu < 2; ++gpu) {
    const auto step = [](int s, const char* type, const char* from, const char* to, int block, int before) {
      return fmt::format(
          R"(<step s="{}" type="{}" srcbuf="{}" srcoff="0" dstbuf="{}" dstoff="0" cnt="1" depid="{}" deps="{}" hasdep="1"/>)",
          s, type, from, to, block, before);
    };
    text +=
        fmt::format(
            R"(<gpu id="{}" i_chunks="1" o_chunks="0" s_chunks="1"><tb id="0" send="{}" recv="-1" chan="0">)",
            gpu, 1 - gpu) +
        step(0, "s", "i", "s", -1, -1) +
        fmt::format(R"(</tb><tb id="1" send="-1" recv="{}" chan="0">)", 1 - gpu) +
        step(0, "r", "i", "s", -1, -1) + step(1, "re", "s", "i", 0, 0) + "</tb></gpu>";
  }
  text += "</algo>";
  EXPECT_EQ(fault_of(text, 50), "");
  const RightFile file{"", built(topology::Kind::kRing, {2}), Collective::kAllReduce, 8, ""};
  EXPECT_THAT(refusal_of(file, text), HasSubstr("'one_pass' needs GPUs, which hold received data in scratch "
                                                "until they add it, as one-pass algorithms do"));
}

}  // namespace
}  // namespace coppice::schedule
