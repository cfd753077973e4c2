package bench

import (
	"bytes"
	"context"
	_ "embed" // of peers.py
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine"
)

//go:embed peers.py
var peersScript []byte

// PeerCall is a call of a method of peers.py, which runs scikit-learn, SciPy and SLEPc.
type PeerCall struct {
	Method  string
	Params  map[string]any
	In, Out string // files, or folders where the method says so; Out may be empty where there is no result to read back
	Threads int
	Today   bool // by the Python of $ORTHANT_PYTHON_TODAY
}

// PeerRun is what a call cost and said.
type PeerRun struct {
	CPU, Wall float64 // around the call alone, after all imports
	Peak      int64   // of the process
	Version   string  // of the program, with its name
	Quality   map[string]float64
	process   spent
}

// CallPeer runs a method of peers.py in a process of its own, whose script it puts into
// the folder.
func CallPeer(ctx context.Context, dir string, call PeerCall) (*PeerRun, error) {
	python, err := call.python()
	if err != nil {
		return nil, err
	}
	script := filepath.Join(dir, "peers.py")
	if err := os.WriteFile(script, peersScript, 0o666); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	request, err := json.Marshal(map[string]any{"method": call.Method, "params": call.Params, "in": call.In, "out": call.Out})
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	p := process{args: append(python, script), in: bytes.NewReader(request), env: threadLimits(call.Threads)}
	cost, err := p.run(ctx)
	if err != nil {
		return nil, err
	}
	said := &PeerRun{process: cost}
	if err := json.Unmarshal(cost.out, said); err != nil {
		return nil, fmt.Errorf("%s printed %q: %w", call.Method, cost.out, err)
	}
	return said, nil
}

// python is the command that runs the script.
func (c *PeerCall) python() ([]string, error) {
	if c.Today {
		return pythonToday()
	}
	python, err := pythonWithSklearn()
	return []string{python}, err
}

// pythonToday is the command in $ORTHANT_PYTHON_TODAY, words apart.
func pythonToday() ([]string, error) {
	words := strings.Fields(os.Getenv("ORTHANT_PYTHON_TODAY"))
	if len(words) == 0 {
		return nil, fmt.Errorf("ORTHANT_PYTHON_TODAY is not set")
	}
	return words, nil
}

// threadLimits are what tells the libraries of a peer on how many threads to work.
func threadLimits(threads int) []string {
	var env []string
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
		env = append(env, name+"="+strconv.Itoa(max(threads, 1)))
	}
	return env
}

// Outcome is that of a case which is one call.
func (p *PeerRun) Outcome() *Outcome {
	return &Outcome{
		Seconds:    engine.Seconds{"total": p.Wall, "process": p.process.wall},
		CPUSeconds: engine.Seconds{"total": p.CPU, "process": p.process.cpu},
		PeakBytes:  p.Peak, Backend: p.Version, Quality: p.Quality,
	}
}
