package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
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
		// on the way counts.
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

// External is a program that a case runs as a process of its own, and measures as a whole.
type External struct {
	Args []string
	Env  []string  // added to this program's
	In   io.Reader // standard input; nil: none
}

// Spent is what such a process cost, and printed.
type Spent struct {
	Cost
	Peak int64
	Out  []byte
}

// Run runs the program to its end. An error has the last line of its standard error.
func (x External) Run(ctx context.Context) (Spent, error) {
	s, err := process{args: x.Args, env: x.Env, in: x.In}.run(ctx)
	return Spent{Cost{s.wall, s.cpu}, s.peak, s.out}, err
}

// Program is how this program is called, with these arguments.
func (e *Env) Program(args ...string) ([]string, error) {
	command, err := e.command()
	return append(command, args...), err
}

// Python is the Python that has scikit-learn, with what limits its threads.
func Python(threads int) (path string, env []string, err error) {
	path, err = pythonWithSklearn()
	return path, ThreadLimits(threads), err
}

// Folder makes a folder for the files of one repeat, and says how to remove it.
func (e *Env) Folder() (dir string, remove func(), err error) {
	dir, err = e.folder()
	return dir, func() { os.RemoveAll(dir) }, err
}

// SaveMatrix writes a matrix in the format of the extension.
func SaveMatrix(path string, x mat.Matrix) error { return save(path, x) }

// message is what the process of a fresh case prints: one line of JSON.
type message struct {
	measured
	Pictures map[string]grid `json:"pictures,omitempty"`
	Aside    Cost            `json:"aside"` // what the process spent on other than the case
	Error    string          `json:"error,omitempty"`
}

// grid is a matrix in JSON.
type grid struct {
	Rows int       `json:"rows"`
	Cols int       `json:"cols"`
	Data []float64 `json:"data"`
}

// RunCase runs one repeat of one case of the suites in this process and writes what it
// measured to w, as one line of JSON, a failure of the case included. It is what
// the hidden command "bench case" does for cases that want a fresh process.
func RunCase(ctx context.Context, list Suites, suite, name string, number int, e *Env, w io.Writer) error {
	s, err := list.Find(suite)
	if err != nil {
		return err
	}
	c, err := s.find(e, name)
	if err != nil {
		return err
	}
	c.number = number
	var m message
	out, err := runHere(ctx, e, c)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		m.Error = err.Error()
	default:
		m.measured, m.Aside = out.plain(), out.aside
		m.Pictures, m.Error = grids(out)
	}
	return json.NewEncoder(w).Encode(m)
}

// grids lays all pictures of an outcome out.
func grids(out *Outcome) (map[string]grid, string) {
	list := map[string]grid{}
	for name, p := range out.Pictures {
		x, err := p.matrix()
		if err != nil {
			return nil, "picture " + name + ": " + err.Error()
		}
		rows, cols := x.Dims()
		list[name] = grid{rows, cols, x.RawMatrix().Data}
	}
	return list, ""
}

// runFresh runs one repeat of a case in a process of its own, whose whole cost,
// start and loading included, it adds as the phase "process".
func runFresh(ctx context.Context, suite string, e *Env, c *Case) (message, error) {
	self, err := running()
	if err != nil {
		return message{}, err
	}
	args := []string{self, "case", suite, c.Name, "--repeat", strconv.Itoa(c.number), "--quiet"}
	if e.Data != "" {
		args = append(args, "--data", e.Data)
	}
	if e.Quick {
		args = append(args, "--quick")
	}
	if e.Tapkee != "" {
		args = append(args, "--tapkee", e.Tapkee)
	}
	if e.Memory > 0 {
		args = append(args, "--memory", strconv.FormatInt(e.Memory, 10))
	}
	whole, err := process{args: args, env: c.Env}.run(ctx)
	if err != nil {
		return message{}, err
	}
	var m message
	if err := json.Unmarshal(whole.out, &m); err != nil {
		return message{}, fmt.Errorf("the process of the case printed no outcome: %w", err)
	}
	if m.Error != "" {
		return m, nil
	}
	m.Seconds["process"], m.CPUSeconds["process"] = whole.wall-m.Aside.Wall, whole.cpu-m.Aside.CPU
	if m.PeakBytes == 0 {
		m.PeakBytes = whole.peak
	}
	return m, nil
}

// UsersCommand is the word after which orthant-bench is the command that users have.
const UsersCommand = "orthant"

// command is how the command that users have is called.
func (e *Env) command() ([]string, error) {
	if len(e.Command) > 0 {
		return append([]string(nil), e.Command...), nil
	}
	self, err := running()
	return []string{self, UsersCommand}, err
}

// running is the path of this program.
func running() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("bench: where this program lies is not known: %w", err)
	}
	return self, nil
}

func (g grid) matrix() (*mat.Dense, error) {
	if g.Rows < 1 || g.Cols < 1 || len(g.Data) != g.Rows*g.Cols {
		return nil, fmt.Errorf("a picture of %d × %d with %d numbers", g.Rows, g.Cols, len(g.Data))
	}
	return mat.NewDense(g.Rows, g.Cols, g.Data), nil
}

// Reported reads what the command says of itself with --json: its seconds without reading and writing, the peak of its memory, and the backend.
func (s Spent) Reported() (*Outcome, error) {
	var said struct {
		Backend    string         `json:"backend"`
		Seconds    engine.Seconds `json:"seconds"`
		CPUSeconds engine.Seconds `json:"cpu_seconds"`
		Peak       int64          `json:"peak_rss_bytes"`
	}
	if err := json.Unmarshal(s.Out, &said); err != nil {
		return nil, fmt.Errorf("the command printed %q: %w", s.Out, err)
	}
	if said.Seconds["total"] <= 0 || said.Peak <= 0 {
		return nil, fmt.Errorf("the command printed no seconds or no peak of memory: %q", s.Out)
	}
	alone := func(of engine.Seconds) engine.Seconds {
		return engine.Seconds{"total": of["total"] - of["read"] - of["write"]}
	}
	return &Outcome{Seconds: alone(said.Seconds), CPUSeconds: alone(said.CPUSeconds), PeakBytes: said.Peak, Backend: said.Backend}, nil
}
