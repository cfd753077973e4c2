package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/orthant-go/orthant/engine/memory"
)

// process is a command of another program, or of this one, that is measured as a
// whole.
type process struct {
	args []string
	env  []string  // added to this program's
	in   io.Reader // standard input; nil: none
}

// spent is what a process cost.
type spent struct {
	out       []byte
	wall, cpu float64
	peak      int64
}

// run runs the process to its end. It is ended when ctx is cancelled, and, on
// Linux, also when this program is killed. An error has the last line that it
// wrote to standard error.
func (p process) run(ctx context.Context) (spent, error) {
	// What ends a child with its parent is tied to the thread that began it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdin = p.in
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 300 * time.Millisecond
	endWithParent(cmd)
	inherited := memory.Peak()
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return spent{}, fmt.Errorf("starting %s: %w", p.args[0], err)
	}
	seen := watchPeak(cmd.Process.Pid)
	err := cmd.Wait()
	s := spent{out: out.Bytes(), wall: time.Since(start).Seconds()}
	polled := seen()
	if cmd.ProcessState != nil {
		s.cpu, s.peak = childUsage(cmd.ProcessState)
	}
	if s.peak <= inherited {
		// Linux begins a child's peak with the parent's; below that only what was seen
		// on the way tells.
		s.peak = polled
	}
	if ctx.Err() != nil {
		return s, ctx.Err()
	}
	if errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success() {
		err = nil // all that it wrote is there: a helper that it left behind, such as joblib's, holds the pipe open
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w%s", filepath.Base(p.args[0]), explained(err), lastLine(stderr.Bytes()))
	}
	return s, nil
}

// explained adds to the bare word "killed" what it mostly means.
func explained(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() < 0 {
		return fmt.Errorf("%w (killed from outside: out of memory?)", err)
	}
	return err
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}

// The peak of a process is looked at so often, at about 20 µs a look: often at
// first, that a short one is seen at all, and then for 0.2 % of the time.
const (
	peakAtFirst  = 50 * time.Millisecond
	peakEarly    = time.Millisecond
	peakInterval = 10 * time.Millisecond
)

// watchPeak looks at the peak of a process until the function that it returns is
// called, which gives the largest seen; what is reached in the last interval can
// escape it. 0: not known.
func watchPeak(pid int) (largest func() int64) {
	stop, result := make(chan struct{}), make(chan int64)
	peak := memory.PeakOf(pid) // now: it may soon be over
	go func() {
		tick := time.NewTicker(peakEarly)
		defer tick.Stop()
		early := time.After(peakAtFirst)
		for {
			peak = max(peak, memory.PeakOf(pid))
			select {
			case <-tick.C:
			case <-early:
				tick.Reset(peakInterval)
			case <-stop:
				result <- peak
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-result
	}
}
