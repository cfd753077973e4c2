package main

import (
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// graphHelp is what --graph means, of every command that takes it.
const graphHelp = "`FILE` with the neighbour graph, in place of a search: a sparse n × n matrix of distances, .npz or .mtx, as \"orthant neighbors --out\" writes it; methods of graphs alone then need no --in"

// addGraph adds the flag.
func addGraph(f *pflag.FlagSet, to *string) { f.StringVar(to, "graph", "", graphHelp) }

// readGraph reads a graph; an empty path gives nil. Nothing but its entries is looked at
// here: whether it goes with the samples is the engine's to say.
func (inv *invocation) readGraph(path string) (*neighbors.Graph, error) {
	if path == "" {
		return nil, nil
	}
	a, err := files.ReadSparse(path, inv.reading())
	if err != nil {
		return nil, err
	}
	g, err := neighbors.FromMatrix(a)
	if err != nil {
		return nil, wrong("%s: %v", path, err)
	}
	return g, nil
}
