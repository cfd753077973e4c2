/* Signals that Go unblocks in its threads, whatever they inherit: the signal of Rprof and the signal of children, which
 * package parallel handles. R's handlers of both do not ask for the stack that a thread sets aside for signals,
 * and the stack of a goroutine is too small for them: the process would end with a memory fault.
 *
 * The handler of children is set once, and can be made to take that stack. The handler of Rprof sets itself anew each time
 * it runs. So its timer is stopped while a task is at work, and samples are taken here: as many as the timer would
 * have taken, of the R function that waits. */

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "rorthant.h"

static int tasks;                  /* under way: a callback may begin another */
static struct itimerval profiling; /* the timer that was stopped; all zero: none */
static double sampled;             /* the processor time up to which samples were taken */

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

/* Stops the timer of Rprof where it runs. */
static void stop_timer(void) {
  const struct itimerval none = {{0, 0}, {0, 0}};
  struct itimerval now;
  if (getitimer(ITIMER_PROF, &now) != 0 || seconds(now.it_interval) == 0) return;
  setitimer(ITIMER_PROF, &none, NULL);
  profiling = now;
  sampled = processor_time();
}

static void let_children_be_handled(void) {
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) != 0 || (action.sa_flags & SA_ONSTACK)) return;
  if (!(action.sa_flags & SA_SIGINFO) && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) return;
  action.sa_flags |= SA_ONSTACK;
  sigaction(SIGCHLD, &action, NULL);
}

void rorthant_quiet(void) {
  tasks++;
  stop_timer();
  let_children_be_handled();
}

/* Takes the samples that are due. */
void rorthant_sample(void) {
  const double interval = seconds(profiling.it_interval), now = processor_time();
  struct sigaction action;
  stop_timer(); /* a callback may have started it */
  if (interval == 0) return;
  if (sigaction(SIGPROF, NULL, &action) != 0 || (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL)) return;
  for (; sampled + interval <= now; sampled += interval) raise(SIGPROF);
}

void rorthant_loud(void) {
  if (--tasks > 0) return;
  if (seconds(profiling.it_interval) > 0) {
    rorthant_sample();
    setitimer(ITIMER_PROF, &profiling, NULL);
  }
  profiling = (struct itimerval){{0, 0}, {0, 0}};
}
