package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
)

// staysSparse tells whether a set of counts goes to files that keep them sparse.
func (g *generation) staysSparse() bool {
	ext := strings.ToLower(filepath.Ext(files.FileOf(g.out)))
	return g.name == "programmes" && slices.Contains([]string{".mtx", ".npz", ".mat"}, ext)
}

// drawSparse draws a set of counts without making it dense.
func (g *generation) drawSparse() (*drawn, error) {
	p, err := datasets.GenerateProgrammes(g.samples, g.seed, g.set)
	if err != nil {
		return nil, err
	}
	return &drawn{p.Counts, &datasets.Set{Labels: p.Labels}}, nil
}
