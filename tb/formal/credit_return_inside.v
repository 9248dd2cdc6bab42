  // Proves, inside credit_return, that the queue never overflows and that no credit is lost or returned
  // twice. While the queue is empty, all held credits are returned within as many cycles as there are slots.
  reg [3:0] waits = 4'd0;
  reg [2:0] places0 = CREDITS, places1 = CREDITS;  // slots that the router may use
  reg [2:0] held0 = 3'd0, held1 = 3'd0;            // slots that the router has used and not got back
  reg [2:0] idle = 3'd0;                           // cycles in which the queue is empty and no flit arrives
  wire      drains = $anyseq;
  always @(posedge clk_i) begin
    assume (waiting_i == waits);
    assume (!comes || (rst_ni && (flit_valid_i[1] ? places1 != 3'd0 : places0 != 3'd0)));
    assume (!drains || (rst_ni && waits != 4'd0));
    if (rst_ni) begin
      waits <= waits + {3'd0, comes} - {3'd0, drains};
      places0 <= places0 - {2'd0, flit_valid_i[0]} + {2'd0, credit_o[0]};
      places1 <= places1 - {2'd0, flit_valid_i[1]} + {2'd0, credit_o[1]};
      held0 <= held0 + {2'd0, flit_valid_i[0]} - {2'd0, credit_o[0]};
      held1 <= held1 + {2'd0, flit_valid_i[1]} - {2'd0, credit_o[1]};
      assert (waits <= QUEUE);
      assert (!(comes && waits == QUEUE));  // a flit would be lost
      assert (places0 + held0 == CREDITS && places1 + held1 == CREDITS);
      assert (held0 <= CREDITS && held1 <= CREDITS);
      assert (owes_o == (held0 != 3'd0 || held1 != 3'd0));
      assert (!credit_o[0] || held0 != 3'd0 || flit_valid_i[0]);
      assert (!credit_o[1] || held1 != 3'd0 || flit_valid_i[1]);
      assert (!comes || owes_o || !room || credit_o == flit_valid_i);
      // Invariants of the state that make the properties inductive.
      assert ({1'b0, waits} + {2'd0, places0} + {2'd0, places1} <= QUEUE);
      assert (out_q == {1'b0, places0} + {1'b0, places1});
      assert ({1'b0, owed_q[1:0]} == held0 && {1'b0, owed_q[3:2]} == held1);
      idle <= waits == 4'd0 && !comes ? idle + {2'd0, idle != 3'd7} : 3'd0;
      assert (idle == 3'd0 || {1'b0, held0} + {1'b0, held1} + {1'b0, idle} <= 4'd2 * CREDITS || (idle == 3'd7 && !owes_o));
    end else begin
      waits <= 4'd0;
      places0 <= CREDITS;
      places1 <= CREDITS;
      held0 <= 3'd0;
      held1 <= 3'd0;
      idle <= 3'd0;
    end
  end
