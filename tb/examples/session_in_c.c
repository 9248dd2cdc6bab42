/* A session in C: a message, its reply, and an all-reduce, twice in one process. */
#include <inttypes.h>
#include <stdio.h>

#include "session/coppice.h"

static int replies = 0;

static void replied(coppice_session* session, const coppice_done* done, void* user) {
  (void)session;
  (void)user;
  printf("reply to message %" PRIu64 " at %" PRId64 " ps\n", done->tag, done->time_ps);
  ++replies;
}

static void reply(coppice_session* session, const coppice_done* done, void* user) {
  coppice_send(session, done->dst, done->src, 64, done->tag, replied, user);
}

static int run(int64_t* end_ps) {
  const char* const overrides[] = {"fidelity=flit"};
  coppice_session* session = NULL;
  coppice_collective_spec spec = {0};
  if (coppice_open(COPPICE_CONFIGS "/systems/torus_4x4.yaml", overrides, 1, &session) != COPPICE_OK) {
    fprintf(stderr, "%s\n", coppice_error(session));
    coppice_close(session);
    return 2;
  }
  coppice_send(session, 0, 5, 4096, 7, reply, NULL);
  if (coppice_advance(session, 1000 * 1000) != COPPICE_OK) return 1;
  spec.op = "all_reduce";
  spec.bytes = 65536;
  if (coppice_collective(session, &spec, 0, NULL, NULL) != COPPICE_OK) return 1;
  if (coppice_drain(session) != COPPICE_OK) return 1;
  *end_ps = coppice_now(session);
  /* There is no such accelerator: the call is refused and has no effect. */
  if (coppice_send(session, 0, 16, 64, 0, NULL, NULL) != COPPICE_BAD_INPUT) return 1;
  puts(coppice_error(session));
  return coppice_close(session) == COPPICE_OK ? 0 : 1;
}

int main(void) {
  int64_t first = 0;
  int64_t second = 0;
  if (run(&first) != 0 || run(&second) != 0) return 1;
  printf("both end at %" PRId64 " ps\n", first);
  return first == second && replies == 2 ? 0 : 1;
}
