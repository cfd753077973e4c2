package main

import (
	"fmt"

	"github.com/orthant-go/orthant/engine"
)

// working is what the commands that run a method of the engine have in common.
type working struct {
	neighborsMethod string
	explain         bool
	explained       []string
}

// searchMethod is what --neighbors-method asks of the engine.
func (w *working) searchMethod() (string, error) {
	switch w.neighborsMethod {
	case "auto":
		return "exact", nil
	case "exact", "approximate":
		return w.neighborsMethod, nil
	}
	return "", wrong("--neighbors-method is %q; give auto, exact or approximate", w.neighborsMethod)
}

// running returns the options of a method with those of the common flags.
func (inv *invocation) running(o engine.Options, w *working, p *progressLine) engine.Options {
	o.Backend, o.Threads, o.Seed, o.Memory = inv.backend, inv.threads, inv.seed, int64(inv.memory)
	o.Progress = p.told()
	o.Explain = func(line string) {
		w.explained = append(w.explained, line)
		if w.explain {
			fmt.Fprintln(inv.err, line)
		}
	}
	return o
}
