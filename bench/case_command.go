package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/orthant-go/orthant/engine"
)

// Command is a case like [Embedding] that runs "orthant embed" as a process, so
// that its start, reading and writing count. extension is the format of both
// files: ".npy" or ".csv".
func Command(name string, data Source, extension, method string, params map[string]any, list ...Measure) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: method, Params: params,
		Needs: append(data.Needs(), "method:"+method),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			args, err := e.command()
			if err != nil {
				return nil, err
			}
			args = append(args, "embed", "--method", method, "--threads", strconv.Itoa(c.ThreadCount()), "--quiet", "--json")
			if c.Backend != "" {
				args = append(args, "--backend", c.Backend)
			}
			for _, key := range slices.Sorted(maps.Keys(c.Params)) {
				if key == "neighbors_method" {
					args = append(args, "--neighbors-method", fmt.Sprint(c.Params[key]))
					continue
				}
				args = append(args, "--set", fmt.Sprintf("%s=%v", key, c.Params[key]))
			}
			out, said, err := runWhole(ctx, e, c, data, extension, list, func(in, out string) process {
				return process{args: append(args, "--in", in, "--out", out)}
			})
			if err != nil {
				return nil, err
			}
			return out, out.takeReport(said)
		},
	}
}

// takeReport adds what the command says of itself: its backend, its peak of
// memory, and its phases; the totals stay those of the process.
func (out *Outcome) takeReport(object []byte) error {
	var report struct {
		Backend    string         `json:"backend"`
		Seconds    engine.Seconds `json:"seconds"`
		CPUSeconds engine.Seconds `json:"cpu_seconds"`
		Peak       int64          `json:"peak_rss_bytes"`
	}
	if err := json.Unmarshal(object, &report); err != nil {
		return fmt.Errorf("the command printed %q: %w", object, err)
	}
	delete(report.Seconds, "total")
	delete(report.CPUSeconds, "total")
	maps.Copy(out.Seconds, report.Seconds)
	maps.Copy(out.CPUSeconds, report.CPUSeconds)
	out.Backend = report.Backend
	if report.Peak > 0 {
		out.PeakBytes = report.Peak
	}
	return nil
}
