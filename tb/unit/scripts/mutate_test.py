#!/usr/bin/python3
"""Tests tb/mutate: it finds the sites in a small module, each mutant differs, and the Verilog with all mutants is
equal to the mutant whose number is selected.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tb" / "mutate"))

import drawing  # noqa: E402: its folder is not an installed package
import stages  # noqa: E402
import verilog  # noqa: E402

MODULE = """`default_nettype none
module small #(
  parameter W = 4
) (
  input  wire         clk_i,
  input  wire         rst_ni,
  input  wire [W-1:0] a_i,
  input  wire [W-1:0] b_i,
  output wire [W-1:0] sum_o,
  output reg          last_q
);
  localparam HALF = W / 2 + 1;  // no site
  assign sum_o = a_i + b_i;
  wire [1:0] top = a_i[W-1:HALF-1];
  wire unused = &{1'b0, b_i};
  always @(posedge clk_i) begin
    if (!rst_ni) last_q <= 1'b0;
    else if (a_i > b_i && top != 2'd1) last_q <= !last_q;
  end
  part #(.W(W)) i_part (.clk_i(clk_i), .data_i(a_i & b_i), .data_o());
endmodule
`default_nettype wire
"""


def mutants_of(text):
    return [(text[site.start:site.end], what, new) for site in verilog.sites_of(text) for what, new in site.mutants]


class Sites(unittest.TestCase):
    def test_expressions_conditions_resets_and_inputs_are_changed(self):
        found = {(old, new) for old, _, new in mutants_of(MODULE)}
        for expected in [("a_i + b_i", "a_i - b_i"), ("!rst_ni", "1'b0"), ("1'b0", "1'b1"), ("1'b0", "last_q"),
                         ("a_i > b_i && top != 2'd1", "a_i >= b_i && top != 2'd1"),
                         ("a_i > b_i && top != 2'd1", "a_i > b_i || top != 2'd1"),
                         ("a_i > b_i && top != 2'd1", "a_i > b_i && top != 2'd2"),
                         ("a_i > b_i && top != 2'd1", "1'b1"), ("a_i & b_i", "1'b0"), ("a_i & b_i", "a_i | b_i"),
                         ("!last_q", "last_q"), ("a_i + b_i", "(a_i + b_i) & ({((W-1) + 1){1'b1}} >> 1)")]:
            self.assertIn(expected, found)

    def test_parameters_widths_and_unused_signals_are_not_changed(self):
        olds = {old for old, _, _ in mutants_of(MODULE)}
        self.assertFalse([old for old in olds if "W / 2" in old or "{1'b0, b_i}" in old])
        self.assertNotIn("clk_i", olds)
        # A reset can only be removed.
        self.assertEqual([what for old, what, _ in mutants_of(MODULE) if old == "!rst_ni"], ["reset removed"])

    def test_a_condition_for_verilator_only_is_not_changed_but_its_statement_is(self):
        guarded = MODULE.replace("endmodule", """  reg [W-1:0] r;
  always @* begin
    r = {W{1'b0}};
`ifdef VERILATOR
    if (skipped_i)
`endif
    begin
      r = a_i ^ b_i;
    end
  end
endmodule""")
        olds = {old for old, _, _ in mutants_of(guarded)}
        self.assertIn("a_i ^ b_i", olds)
        self.assertNotIn("skipped_i", olds)

    def test_every_mutant_is_different(self):
        for source in drawing.sources():
            for old, what, new in mutants_of((drawing.RTL / source).read_text()):
                self.assertNotEqual(old, new, f"{source}: {what}")

    def test_zeros_have_no_bits_to_cut(self):
        self.assertFalse([what for old, what, _ in mutants_of(MODULE.replace("a_i + b_i", "{W{1'b0}}"))
                          if old == "{W{1'b0}}" and "cut" in what])


class Written(unittest.TestCase):
    def test_a_file_with_all_mutants_is_equal_to_the_selected_one(self):
        """Proves with Yosys that a module in which mutant N is selected is equal to the module with that expression."""
        text = MODULE.replace("  part #(.W(W)) i_part (.clk_i(clk_i), .data_i(a_i & b_i), .data_o());\n", "")
        mutants = [drawing.Mutant("small.v", site, what, new, text) for site in verilog.sites_of(text) for what, new in site.mutants]
        with tempfile.TemporaryDirectory() as folder:
            all_of_them = pathlib.Path(folder) / "all.v"
            all_of_them.write_text(drawing.with_mutants(text, mutants))
            for mutant in mutants[:: max(1, len(mutants) // 6)]:
                alone = pathlib.Path(folder) / "alone.v"
                alone.write_text((text[:mutant.site.start] + f"({mutant.new})" + text[mutant.site.end:]).replace("small", "alone"))
                script = (f"read_verilog -DMUTANT={mutant.number} {all_of_them}; read_verilog {alone}; proc; "
                          "equiv_make small alone both; hierarchy -top both; opt_clean; equiv_simple -undef; equiv_induct; equiv_status -assert")
                result = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 0, f"{mutant}: {result.stdout}{result.stderr}")


class Drawing(unittest.TestCase):
    def test_the_same_seed_chooses_the_same_mutants_of_every_file(self):
        first, again, other = (drawing.draw(100, seed) for seed in (1, 1, 2))
        self.assertEqual([m.key for m in first], [m.key for m in again])
        self.assertNotEqual([m.key for m in first], [m.key for m in other])
        self.assertEqual({m.source for m in first}, set(drawing.sources()))
        # A mutant keeps its number in a larger sample, so a build with more mutants can also be used for smaller
        # samples.
        self.assertLessEqual({m.number for m in first}, {m.number for m in drawing.draw(200, 1)})
        self.assertEqual(len({m.key for m in first}), len(first))
        self.assertEqual(len({m.number for m in first}), len(first))

    def test_a_mutant_keeps_its_key_until_its_file_changes(self):
        site = verilog.sites_of(MODULE)[0]
        changed = MODULE + "// more\n"
        self.assertNotEqual(drawing.Mutant("a.v", site, "w", "n", MODULE).key, drawing.Mutant("a.v", site, "w", "n", changed).key)

    def test_unchanged_files_are_not_written(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            mutants = drawing.draw(5, 1)
            drawing.write(mutants, folder)
            times = {path: path.stat().st_mtime_ns for path in folder.rglob("*.v")}
            drawing.write(mutants, folder)
            self.assertEqual(times, {path: path.stat().st_mtime_ns for path in folder.rglob("*.v")})
            self.assertEqual(len(re.findall(r"`MUTANT == \d+ \?", "".join(path.read_text() for path in times))), len(mutants))


class Networks(unittest.TestCase):
    def test_tiles_have_the_buffers_with_which_they_are_verilated(self):
        for name, settings in stages.NETWORKS.items():
            self.assertFalse([setting for setting in settings if setting.startswith("system.router.vc_depth")], name)


if __name__ == "__main__":
    unittest.main()
