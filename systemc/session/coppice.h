/* C interface for using Coppice inside another simulator, which requests messages and collectives on the
 * network of a configuration while simulated time advances. session/session.h is the C++ interface.
 *
 *   coppice_session* session = NULL;
 *   if (coppice_open("machine.yaml", NULL, 0, &session) != COPPICE_OK) puts(coppice_error(session));
 *   coppice_send(session, 0, 5, 4096, 42, arrived, NULL);
 *   coppice_advance(session, 1000 * 1000);
 *   coppice_close(session);
 *
 * Times are picoseconds from the start of the session, sizes are bytes, and accelerators are counted from 0.
 * Times of events are rounded up to a picosecond. Functions do not throw exceptions: they return a
 * status, and coppice_error() returns the message.
 *
 * A process may have several sessions, one after another or simultaneously, all used by the same thread. A
 * session has its own SystemC kernel, so the process may itself be a SystemC simulation. */
#ifndef COPPICE_SESSION_COPPICE_H
#define COPPICE_SESSION_COPPICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The values 0 to 2 are also exit statuses of the coppice command. */
typedef enum coppice_status {
  COPPICE_OK = 0,
  COPPICE_RUN_FAILED = 1, /* deadlock, wrong data or trains that meet: the session must be closed */
  COPPICE_BAD_INPUT = 2,  /* an invalid configuration or request; the request has no effect */
  COPPICE_BAD_CALL = 3,   /* not permitted in a callback or after a failed run */
  COPPICE_NO_MEMORY = 4
} coppice_status;

typedef struct coppice_session coppice_session;

/* A message that has arrived, or a collective that is complete at all its accelerators. */
typedef struct coppice_done {
  int64_t time_ps;  /* the current time */
  int64_t begun_ps; /* time of the request */
  int64_t bytes;
  uint64_t tag; /* tag of the request */
  int32_t src;  /* -1 for a collective */
  int32_t dst;  /* -1 for a collective */
} coppice_done;

/* Called while time advances, in chronological order. May call coppice_send(), coppice_collective(),
 * coppice_stop() and the query functions; it must not exit by longjmp or an exception. `done` is valid only
 * during the call. */
typedef void (*coppice_callback)(coppice_session* session, const coppice_done* done, void* user);

/* Opens a session for a configuration file with `count` overrides "key=value", as in `coppice run --set`. A
 * session uses `system`, `fidelity` (`flit`, `train` or `fluid`; `auto` selects `flit`), `check` and the
 * algorithms of collectives. Even on failure, sets *session, so that coppice_error() can report the reason;
 * *session must be closed, unless memory is exhausted. */
coppice_status coppice_open(const char* path, const char* const* overrides, size_t count,
                            coppice_session** session);

/* Sends a message now. `callback` may be NULL. */
coppice_status coppice_send(coppice_session* session, int32_t src, int32_t dst, int64_t bytes, uint64_t tag,
                            coppice_callback callback, void* user);

/* A collective, executed by the configured algorithm (collective.algorithm, collectives.OP.algorithm).
 * Initialise it with zeros, then set the fields that differ. */
typedef struct coppice_collective_spec {
  const char* op;       /* all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all */
  int64_t bytes;        /* as in collective.size: the whole result for an all-gather */
  const int32_t* group; /* accelerators in the collective's order; NULL: all */
  size_t group_size;
  int32_t root;     /* for broadcast and reduce: an accelerator of the group */
  int32_t priority; /* the highest is served first, if system.ni.context_order is priority */
} coppice_collective_spec;

/* Starts a collective, which all accelerators of the group join now. */
coppice_status coppice_collective(coppice_session* session, const coppice_collective_spec* spec, uint64_t tag,
                                  coppice_callback callback, void* user);

/* Simulates all events up to and including `until_ps`; does nothing if that time has passed. Requests that
 * follow are made at `until_ps`. */
coppice_status coppice_advance(coppice_session* session, int64_t until_ps);

/* Simulates until no message or collective is in flight; the current time is then that of the last arrival.
 */
coppice_status coppice_drain(coppice_session* session);

/* From a callback: makes coppice_advance() or coppice_drain() return as soon as possible, at the current
 * time; the next call simulates the remaining events of this time. Use this in simulators whose next event
 * follows from an arrival. */
coppice_status coppice_stop(coppice_session* session);

int64_t coppice_now(const coppice_session* session); /* picoseconds */
/* The time of the next event if there are no further requests, for simulators that schedule an event of their
 * own at this time; INT64_MAX if there is no such event. coppice_advance() to this time simulates the event.
 * New requests may cause an earlier event. */
int64_t coppice_next(const coppice_session* session);
int64_t coppice_in_flight(const coppice_session* session); /* messages and collectives */
int32_t coppice_accelerators(const coppice_session* session);

/* The message of the last failed call; "" if no call has failed. Valid until the next call fails. */
const char* coppice_error(const coppice_session* session);

/* Ends the session and drops everything in flight; does nothing for NULL. Returns COPPICE_BAD_CALL in a
 * callback. */
coppice_status coppice_close(coppice_session* session);

#ifdef __cplusplus
}
#endif

#endif
