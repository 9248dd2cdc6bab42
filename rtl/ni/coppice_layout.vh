// Bit positions of the fields of table entries and head flits. They depend on the widths of the fields, which the
// including module must declare as parameters with the names used here.
`ifndef COPPICE_LAYOUT_VH
`define COPPICE_LAYOUT_VH
// Fields of a table entry: op (0: the receiver stores, 1: the receiver adds, 2: nop), flow, dependencies, step, word
// address of the data, data words, words including padding, flits (duration), packets, source route.
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
// Fields of a head flit: add (otherwise store), flow (extended by an id or context if there are several contexts), word
// address, data words in the packet, message tag (source port, then sequence number), packets in the message, remaining
// route.
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
