package main

import (
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// structure is what a command takes in place of a search, or of samples: the files of a
// graph, of affinities or of distances, of which one at most is given.
type structure struct{ graph, affinities, distances string }

// structureFlags are its flags.
var structureFlags = []string{"graph", "affinities", "distances"}

// addFlags adds them.
func (s *structure) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.graph, "graph", "", "`FILE` with the neighbour graph, in place of a search: a sparse n × n matrix of distances, .npz or .mtx, as \"orthant neighbors --out\" writes it; methods of graphs alone then need no --in")
	f.StringVar(&s.affinities, "affinities", "", "`FILE` with the weights of the edges, in place of a search and of the method's own: a sparse symmetric n × n matrix ≥ 0, .npz or .mtx, whose diagonal does not count")
	f.StringVar(&s.distances, "distances", "", "`FILE` with all distances, n × n, in place of samples or of a search among them")
}

// paths are the flags and what they say, for [oneStandardInput].
func (s structure) paths() []string {
	return []string{"--graph", s.graph, "--affinities", s.affinities, "--distances", s.distances}
}

// structured tells whether there is one.
func (s structure) structured() bool { return s.graph+s.affinities+s.distances != "" }

// check refuses more than one.
func (s structure) check() error {
	var first string
	for i, path := range s.paths() {
		if i%2 == 0 || path == "" {
			continue
		}
		if first != "" {
			return wrong("%s and %s are given together; give one of them", first, s.paths()[i-1])
		}
		first = s.paths()[i-1]
	}
	return nil
}

// readStructure reads what is given into the options, and returns the number of samples and
// the file that tells it; no file: nothing is given. Nothing but the entries is looked at
// here: whether they go with the samples is the engine's to say.
func (inv *invocation) readStructure(s structure, o *engine.Options) (n int, of string, err error) {
	switch {
	case s.graph != "":
		o.Graph, err = sharing(inv.shared, s.graph, func() (*neighbors.Graph, error) {
			a, err := files.ReadSparse(s.graph, inv.reading())
			if err != nil {
				return nil, err
			}
			g, err := neighbors.FromMatrix(a)
			if err != nil {
				return nil, wrong("%s: %v", s.graph, err)
			}
			return g, nil
		})
		if err != nil {
			return 0, "", err
		}
		return o.Graph.Len(), s.graph, nil
	case s.affinities != "":
		of = s.affinities
		o.Affinities, err = sharing(inv.shared, of, func() (mat.Matrix, error) { return files.ReadSparse(of, inv.reading()) })
		if err != nil {
			return 0, "", err
		}
		n, _ = o.Affinities.Dims()
	case s.distances != "":
		of = s.distances
		o.Distances, err = sharing(inv.shared, of, func() (mat.Matrix, error) { return files.ReadAny(of, inv.reading()) })
		if err != nil {
			return 0, "", err
		}
		n, _ = o.Distances.Dims()
	}
	return n, of, nil
}
