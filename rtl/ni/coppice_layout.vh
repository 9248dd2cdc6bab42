// The positions of the fields of a table entry and of a head flit, from bit 0, defined only here. The including module has
// parameters with these names for the widths.
`ifndef COPPICE_LAYOUT_VH
`define COPPICE_LAYOUT_VH
// An entry: op (0 store at the receiver, 1 add, 2 nop), flow, dependencies, step, address of the data in words, data words,
// words with padding, flits (duration), packets, source route.
`define COPPICE_OP_W 2
`define COPPICE_ENTRY_FLOW_AT `COPPICE_OP_W
`define COPPICE_ENTRY_COUNT_AT (`COPPICE_ENTRY_FLOW_AT + FLOW_W)
`define COPPICE_ENTRY_STEP_AT (`COPPICE_ENTRY_COUNT_AT + COUNT_W)
`define COPPICE_ENTRY_ADDR_AT (`COPPICE_ENTRY_STEP_AT + STEP_W)
`define COPPICE_ENTRY_WORDS_AT (`COPPICE_ENTRY_ADDR_AT + ADDR_W)
`define COPPICE_ENTRY_TOTAL_AT (`COPPICE_ENTRY_WORDS_AT + LEN_W)
`define COPPICE_ENTRY_FLITS_AT (`COPPICE_ENTRY_TOTAL_AT + LEN_W)
`define COPPICE_ENTRY_PACKETS_AT (`COPPICE_ENTRY_FLITS_AT + FLITS_W)
`define COPPICE_ENTRY_ROUTE_AT (`COPPICE_ENTRY_PACKETS_AT + PACKETS_W)
`define COPPICE_ENTRY_W (`COPPICE_ENTRY_ROUTE_AT + ROUTE_W)
// A head: whether to add, flow (preceded by an id or a context if there are several), address, data words of the
// packet, tag of the message (source port, then sequence number), its packets, and the rest of the route.
`define COPPICE_SEQUENCE_W 2
`define COPPICE_TAG_W (SOURCE_W + `COPPICE_SEQUENCE_W)
`define COPPICE_HEAD_FLOW_AT 1
`define COPPICE_HEAD_ADDR_AT (`COPPICE_HEAD_FLOW_AT + FLOW_W)
`define COPPICE_HEAD_WORDS_AT (`COPPICE_HEAD_ADDR_AT + ADDR_W)
`define COPPICE_HEAD_TAG_AT (`COPPICE_HEAD_WORDS_AT + LEN_W)
`define COPPICE_HEAD_PACKETS_AT (`COPPICE_HEAD_TAG_AT + TAG_W)
`define COPPICE_HEAD_ROUTE_AT (`COPPICE_HEAD_PACKETS_AT + PACKETS_W)
`define COPPICE_HEAD_W (`COPPICE_HEAD_ROUTE_AT + ROUTE_W)
`endif
