"""The project's configurations and wrong ones, for tests of the JSON Schema."""

import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Yaml12(yaml.SafeLoader):
    """The core schema of YAML 1.2, as in editors: `off` is a string."""


Yaml12.yaml_implicit_resolvers = {}
for tag, form, first in (("null", r"|~|null|Null|NULL", ["", "~", "n", "N"]), ("bool", r"true|false", list("tf")),
                         ("int", r"[-+]?[0-9]+", list("-+0123456789")),
                         ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789"))):
    Yaml12.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{form})$"), first)


def read(text):
    return yaml.load(text, Yaml12)


def is_shipped_configuration(path):
    return path.parts[1] == "machines" or "systems" in path.parts


SHIPPED = [path for path in sorted((ROOT / "configs").rglob("*.yaml"))
           if is_shipped_configuration(path.relative_to(ROOT))]

# {path of the only fault in a configuration: the configuration}.
WRONG = {
    "$": "systems: {clock: 1 GHz}",
    "$.system": "system: [torus]",
    "$.system.topology": "system: {topology: {kind: torus, dimz: 8x8}}",
    "$.system.topology.kind": "system: {topology: {kind: tours}}",
    "$.system.topology.dims": "system: {topology: {dims: 8 by 8}}",
    "$.system.topology.dimensions": "system: {topology: {dimensions: [{kind: ring, size: 4, latency: 1 ns}]}}",
    "$.system.topology.degraded[0].share": "system: {topology: {degraded: [{link: [0, 1], share: 1.5}]}}",
    "$.system.link.bandwidth": "system: {link: {bandwidth: 16}}",
    "$.system.link.latency": "system: {link: {latency: 150 GB/s}}",
    "$.system.link.efficiency": "system: {link: {efficiency: 80}}",
    "$.system.clock": "system: {clock: -1 GHz}",
    "$.system.flit": "system: {flit: 16 b}",
    "$.system.router.vcs": "system: {router: {vcs: 0}}",
    "$.system.ni.flow_control": "system: {ni: {flow_control: messages}}",
    "$.system.ni.lockstep": "system: {ni: {lockstep: maybe}}",
    "$.system.ni.protocols[0].efficiency": "system: {ni: {protocols: [{name: LL, efficiency: 50}]}}",
    "$.system.accelerator": "system: {accelerator: {array: [32]}}",
    "$.collective.algorithm": "collective: {algorithm: multi_tree}",
    "$.collective.size": "collective: {size: 1 Mib}",
    "$.collective.group": "collective: {group: [0]}",
    "$.program.jobs[0]": "program: {jobs: [{arrival: 1 ms}]}",
    "$.training.zero": "training: {zero: 4}",
    "$.routing.jobs[0].data_parallel": "routing: {jobs: [{model: bloom, data_parallel: 1}]}",
    "$.seed": "seed: 1.5",
}
