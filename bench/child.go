package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

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
