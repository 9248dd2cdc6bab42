/* Coppice inside another simulator, in C: messages and collectives over the network of a configuration, asked
 * for while simulated time advances. session/session.h has the same for C++.
 *
 *   coppice_session* session = NULL;
 *   if (coppice_open("machine.yaml", NULL, 0, &session) != COPPICE_OK) puts(coppice_error(session));
 *   coppice_send(session, 0, 5, 4096, 42, arrived, NULL);
 *   coppice_advance(session, 1000 * 1000);
 *   coppice_close(session);
 *
 * Times are picoseconds from the start of the session, sizes are bytes, and accelerators are counted from 0.
 * What happens between two picoseconds is reported at the later one. Nothing is thrown across this boundary:
 * functions return a status, and coppice_error() has the text.
 *
 * A process may have several sessions, one after another or side by side, all of them used by one thread. A
 * session has a SystemC kernel of its own, so the process may also be a SystemC simulation. */
#ifndef COPPICE_SESSION_COPPICE_H
#define COPPICE_SESSION_COPPICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 to 2 are the exit statuses of the coppice command. */
typedef enum coppice_status {
  COPPICE_OK = 0,
  COPPICE_RUN_FAILED = 1, /* deadlock, wrong data, trains that meet: the session can only be closed */
  COPPICE_BAD_INPUT = 2,  /* a configuration or request that cannot be met; a request is without effect */
  COPPICE_BAD_CALL = 3,   /* not at this time: from a callback, or after a failed run */
  COPPICE_NO_MEMORY = 4
} coppice_status;

typedef struct coppice_session coppice_session;

/* A message that has arrived, or a collective that is done at all its accelerators. */
typedef struct coppice_done {
  int64_t time_ps;  /* now */
  int64_t begun_ps; /* when it was asked for */
  int64_t bytes;
  uint64_t tag; /* as it was given */
  int32_t src;  /* of a collective: -1 */
  int32_t dst;  /* of a collective: -1 */
} coppice_done;

/* Called while time advances, in the order of time. It may call coppice_send(), coppice_collective(),
 * coppice_stop() and the functions that only ask, and must not leave by longjmp or an exception. `done` is
 * valid during the call. */
typedef void (*coppice_callback)(coppice_session* session, const coppice_done* done, void* user);

/* A configuration file, and `count` overrides "key=value" as of `coppice run --set`. A session uses `system`,
 * `fidelity` (flit, also for auto; train; fluid), `check` and the algorithms of collectives. *session is set
 * even on failure, unless there is no memory, so that coppice_error() can say why; close it then, too. */
coppice_status coppice_open(const char* path, const char* const* overrides, size_t count,
                            coppice_session** session);

/* Sends a message now. `callback` may be NULL. */
coppice_status coppice_send(coppice_session* session, int32_t src, int32_t dst, int64_t bytes, uint64_t tag,
                            coppice_callback callback, void* user);

/* A collective by the algorithm of the configuration (collective.algorithm, collectives.OP.algorithm).
 * Initialise it with zeros, then set what differs. */
typedef struct coppice_collective_spec {
  const char* op;       /* all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all */
  int64_t bytes;        /* as collective.size counts them: of an all-gather, the whole result */
  const int32_t* group; /* accelerators in the collective's order; NULL: all */
  size_t group_size;
  int32_t root;     /* of broadcast and reduce: an accelerator of the group */
  int32_t priority; /* the higher is served first with system.ni.context_order: priority */
} coppice_collective_spec;

/* All accelerators of the group join it now. */
coppice_status coppice_collective(coppice_session* session, const coppice_collective_spec* spec, uint64_t tag,
                                  coppice_callback callback, void* user);

/* Simulates everything up to and including this time; nothing if it is past. Requests at `until_ps` are then
 * still part of what happens at that time. */
coppice_status coppice_advance(coppice_session* session, int64_t until_ps);

/* Simulates until nothing is in flight; now is then the time of the last arrival. */
coppice_status coppice_drain(coppice_session* session);

/* From a callback: coppice_advance() or coppice_drain() returns as soon as it can, at this time, and the rest
 * of what happens at this time comes with the next. For simulators whose next event follows from an arrival.
 */
coppice_status coppice_stop(coppice_session* session);

int64_t coppice_now(const coppice_session* session); /* picoseconds */
/* The time of the next thing that can happen by itself, which coppice_advance() to that time simulates, or
 * INT64_MAX: for simulators that schedule their own event for it. Requests may bring it forward. */
int64_t coppice_next(const coppice_session* session);
int64_t coppice_in_flight(const coppice_session* session); /* messages and collectives */
int32_t coppice_accelerators(const coppice_session* session);

/* What the last call that failed has to say, until the next one that fails; "" if none has. */
const char* coppice_error(const coppice_session* session);

/* Ends the session; what is in flight is dropped. NULL: nothing. COPPICE_BAD_CALL from a callback. */
coppice_status coppice_close(coppice_session* session);

#ifdef __cplusplus
}
#endif

#endif
