package lnp

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine/datasets"
)

// The faces of Extended Yale B, which a user brings: 38 people (Figs 5b, 6d and 8).

var (
	faceSource = bench.FromFile("yaleb32.X.npy")
	faceNeeds  = []string{"data:yaleb32.X.npy", "data:yaleb32.y.npy"}
	faceSizes  = []int{3, 5, 10, 20, 40}
	facePeople = apart{prefix: "yale-b", data: faceSource.Name(), needs: faceNeeds, load: loadFaces, groups: 38, full: true}
	timedFaces = timedSet{
		key: "yale-b", title: "Extended Yale B, 2414 faces of 1024 pixels", figure: "6(d)", data: faceSource.Name(), needs: faceNeeds, load: loadFaces,
		n: 2414, full: true, at: []int{5, 20, 60, 100},
	}
	// twoPeople are the clusters of Fig. 8, the first two.
	twoPeople = bench.Source{File: faceSource.File, Classes: []int64{0, 1}}
)

func loadFaces(e *bench.Env) (*datasets.Set, error) {
	d, err := faceSource.Load(e)
	if err != nil {
		return nil, err
	}
	if n, _ := d.X.Dims(); len(d.Labels) != n {
		return nil, fmt.Errorf("%s: %d labels for %d faces", faceSource.File, len(d.Labels), n)
	}
	return &datasets.Set{X: d.X, Labels: d.Labels}, nil
}

// faceNeighbors is K of the embeddings of two people.
const faceNeighbors = 10

func facesEmbedded(x chooser) string { return "yale-b-embedding/" + x.key }

func faceCases() []bench.Case {
	var cases []bench.Case
	for _, x := range clusterers {
		cases = append(cases, facePeople.asCase(x, faceSizes))
	}
	for _, x := range fourMethods(byLNP) {
		params := map[string]any{"neighbors": faceNeighbors, "dim": 2, "components": "joint"}
		if x.set != nil {
			for key, text := range x.set(faceNeighbors) {
				params[key] = text
			}
		}
		c := bench.Embedding(facesEmbedded(x), twoPeople, x.method, params, bench.NNError, bench.Trustworthiness(faceNeighbors), bench.Draw("embedding"))
		c.Full, c.Repeats = true, 1
		cases = append(cases, c)
	}
	return cases
}

var faceClaims = []bench.Claim{
	{
		Name: "yale-b", Source: papers.LNP + ", Fig. 5(b)", Paper: "curves",
		Statement: "LNP misclassifies fewer faces of Extended Yale B than LLE, LE and SMCE.",
		Check: func(r *bench.Records) bench.Finding {
			return noneHasLess(r, facePeople.name, "misclassification", "mean over K = "+strings.Trim(fmt.Sprint(faceSizes), "[]"), "fewer are misclassified by ",
				func(name string, v float64) string { return fmt.Sprintf("%.3f", v) })
		},
	},
	{
		Name: "yale-b-embedding", Source: papers.LNP + ", Fig. 8", Paper: "pictures",
		Statement: "LNP embeds the faces of two people of Extended Yale B at least as far from each other as the other methods.",
		Check: func(r *bench.Records) bench.Finding {
			return noneHasLess(r, facesEmbedded, "nn-error", fmt.Sprintf("share of faces whose nearest in the plane is of the other person, K = %d", faceNeighbors), "fewer are so by ",
				func(name string, v float64) string {
					kept, _ := r.Quality(name, "trustworthiness")
					return fmt.Sprintf("%.3f (trustworthiness %.3f)", v, kept)
				})
		},
	},
}

// noneHasLess judges a claim that no other of the four methods has less of a quality than
// LNP. what names the quality, and ahead begins the list of those that have less.
func noneHasLess(r *bench.Records, name func(chooser) string, quality, what, ahead string, text func(name string, v float64) string) bench.Finding {
	methods := fourMethods(byLNP)
	names := caseNames(methods, name)
	f, ready := r.Unready(names...)
	if !ready {
		return f
	}
	own, _ := r.Quality(names[0], quality)
	var said, better []string
	for i, x := range methods {
		v, _ := r.Quality(names[i], quality)
		said = append(said, x.name+" "+text(names[i], v))
		if v < own {
			better = append(better, x.name)
		}
	}
	f.Ours = what + ": " + strings.Join(said, ", ")
	f.Verdict = verdictOn(len(better), len(methods)-1)
	if len(better) > 0 {
		f.Why = ahead + strings.Join(better, ", ")
	}
	return f
}

// verdictOn judges a claim by how many of all its parts do not hold.
func verdictOn(broken, all int) bench.Verdict {
	switch broken {
	case 0:
		return bench.Reproduces
	case all:
		return bench.DoesNot
	}
	return bench.PartlyHolds
}

func faceSections(r *bench.Records) []bench.Section {
	s := facePeople.section(r, "Extended Yale B (Fig. 5b)", "2414 faces of 38 people: the share that is given to the wrong person, by spectral clustering of each method's graph, as of the trefoil knots.")
	plane := bench.Section{Title: "Two people of Extended Yale B (Fig. 8)", Text: fmt.Sprintf("K = %d, coloured by person.", faceNeighbors),
		Table: &bench.Table{Columns: []string{"method", "nearest is the other person", "trustworthiness"}}}
	for _, x := range fourMethods(byLNP) {
		name := facesEmbedded(x)
		plane.Table.Rows = append(plane.Table.Rows, []bench.Cell{bench.PlainCell(x.name), r.QualityCell(name, "nn-error", "%.3f"), r.QualityCell(name, "trustworthiness", "%.3f")})
		if r.Get(name) != nil {
			plane.Pictures = append(plane.Pictures, bench.Figure{Case: name, Picture: "embedding", Caption: x.name})
		}
	}
	return []bench.Section{s, plane}
}
