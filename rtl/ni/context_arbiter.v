// Selects which of the requesting contexts a port serves in a cycle. order_i selects the policy: 0 serves the running
// contexts in rotation, in the order in which they started; 1 serves the context with the highest priority and, among
// equal priorities, the one that started earliest; 2 serves the one that started earliest. Contexts that start in this
// cycle come last, in the order of their starts. In rotation, a context that keeps requesting waits for at most
// CONTEXTS grants.
`default_nettype none
module context_arbiter #(
  parameter CONTEXTS = 4,   // at least 2
  parameter CONTEXT_W = 2,  // log2(CONTEXTS), rounded up
  parameter PRIORITY_W = 8
) (
  input  wire                           clk_i,
  input  wire                           rst_ni,
  input  wire [1:0]                     order_i,
  input  wire [CONTEXTS-1:0]            request_i,
  input  wire [CONTEXTS-1:0]            fresh_i,
  input  wire [CONTEXTS*CONTEXT_W-1:0]  place_i,     // number of running contexts that started earlier
  input  wire [CONTEXTS*PRIORITY_W-1:0] priority_i,  // signed
  input  wire [CONTEXTS-1:0]            done_i,      // the context ends with this cycle, so the rotation forgets it
  output wire [CONTEXTS-1:0]            grant_o
);
  localparam [1:0] IN_TURNS = 2'd0, BY_PRIORITY = 2'd1;
  reg [CONTEXTS-1:0]  served_q;  // the context served last, one-hot; 0 if there is none
  reg [CONTEXT_W-1:0] served_place;
  integer n;
  always @* begin
    served_place = {CONTEXT_W{1'b0}};
    for (n = 0; n < CONTEXTS; n = n + 1)
      served_place = served_place | (place_i[n*CONTEXT_W+:CONTEXT_W] & {CONTEXT_W{served_q[n]}});
  end
  wire some_served = |served_q;

  always @(posedge clk_i) begin
    if (!rst_ni) served_q <= {CONTEXTS{1'b0}};
    else served_q <= (|grant_o ? grant_o : served_q) & ~done_i;
  end

  genvar i, k;
  generate
    for (i = 0; i < CONTEXTS; i = i + 1) begin : g_context
      wire [CONTEXT_W-1:0] place = place_i[i*CONTEXT_W+:CONTEXT_W];
      // The context with the largest class_of is served; among contexts with equal values, the one that started
      // earliest.
      wire behind = some_served && place > served_place;
      wire [PRIORITY_W-1:0] high =
        {!priority_i[i*PRIORITY_W+PRIORITY_W-1], priority_i[i*PRIORITY_W+:PRIORITY_W-1]};  // unsigned, order preserved
      wire [PRIORITY_W:0] class_of =
        fresh_i[i] ? {(PRIORITY_W + 1){1'b0}} :
        order_i == IN_TURNS ? {1'b1, {(PRIORITY_W - 1){1'b0}}, behind} :
        order_i == BY_PRIORITY ? {1'b1, high} : {1'b1, {PRIORITY_W{1'b0}}};
    end
    for (i = 0; i < CONTEXTS; i = i + 1) begin : g_grant
      wire [CONTEXTS-1:0] ahead;  // requesting contexts that are served before this one
      for (k = 0; k < CONTEXTS; k = k + 1) begin : g_other
        if (k == i) begin : g_self
          assign ahead[k] = 1'b0;
        end else begin : g_compare
          assign ahead[k] = request_i[k] && (g_context[k].class_of > g_context[i].class_of ||
                                              (g_context[k].class_of == g_context[i].class_of &&
                                               g_context[k].place < g_context[i].place));
        end
      end
      assign grant_o[i] = request_i[i] && ahead == {CONTEXTS{1'b0}};
    end
  endgenerate
endmodule
`default_nettype wire
