package starts

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// known is data, with the classes of the samples or the components where they are known.
type known struct {
	data       nmf.Data
	labels     []int64
	components *mat.Dense
}

// set is data on which starts are compared.
type set struct {
	key, source string
	file        string  // of a real set
	classes     []int64 // of it that are kept; nil: all
	samples     int     // drawn of it
	sparse      bool
	made        bool
	rank        int     // of made data
	noise       float64 // relative to the mean
	separable   bool
	law         string // of the noise: normal, poisson or gamma
}

// drawnSamples are how many samples a set has.
const drawnSamples = 300

var sets = []set{
	{key: "usps", file: "usps.X.npy", samples: drawnSamples},
	{key: "mfeat-fac", file: "mfeat-fac.X.npy", samples: drawnSamples},
	{key: "semeion", file: "semeion.X.npy", samples: drawnSamples},
	{key: "coil20", file: "coil20.X.npy", samples: drawnSamples},
	{key: "orl", file: "orl32.X.npy", samples: drawnSamples},
	{key: "yaleb", file: "yaleb32.X.npy", samples: drawnSamples, classes: []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
	{key: "isolet", file: "isolet1.X.npy", samples: drawnSamples},
	{key: "news", file: "20news-w100.X.mtx", samples: 3000, sparse: true},
	{key: "cells", file: "pbmc-facs.X.npz", samples: drawnSamples, sparse: true},
	made("mixed", 5, 0.2, false, "normal"), made("mixed", 20, 0.2, false, "normal"), made("mixed", 40, 0.2, false, "normal"),
	made("separable", 5, 0.2, true, "normal"), made("separable", 20, 0.2, true, "normal"), made("separable", 40, 0.2, true, "normal"),
	{key: "mixed-20-noisy", source: "mixed, 20 components, noise 0.6", made: true, rank: 20, noise: 0.6, law: "normal"},
	{key: "separable-20-noisy", source: "separable, 20 components, noise 0.6", made: true, rank: 20, noise: 0.6, separable: true, law: "normal"},
	made("counts", 5, 0, false, "poisson"), made("counts", 20, 0, false, "poisson"), made("counts", 40, 0, false, "poisson"),
	made("gamma", 5, 0.5, false, "gamma"), made("gamma", 20, 0.5, false, "gamma"),
}

func made(kind string, rank int, noise float64, separable bool, law string) set {
	return set{key: fmt.Sprintf("%s-%d", kind, rank), source: fmt.Sprintf("%s, %d components, noise %g", kind, rank, noise), made: true, rank: rank, noise: noise, separable: separable, law: law}
}

func setNamed(key string) *set {
	for i := range sets {
		if sets[i].key == key {
			return &sets[i]
		}
	}
	panic("starts: no set " + key)
}

func (s *set) needs() []string {
	if s.made {
		return nil
	}
	source := bench.FromFile(s.file)
	return []string{"data:" + s.file, "data:" + source.PartFile("y")}
}

// load reads a real set, or draws a made one.
func (s *set) load(e *bench.Env, seed uint64) (*known, error) {
	switch {
	case s.law == "poisson":
		return s.counts(seed)
	case s.made:
		return s.draw(seed), nil
	case s.sparse:
		return s.readSparse(e)
	}
	source := bench.FromFile(s.file)
	source.Classes = s.classes
	d, err := source.Load(e)
	if err != nil {
		return nil, err
	}
	n, m := d.X.Dims()
	if len(d.Labels) != n {
		return nil, fmt.Errorf("%s: %d labels for %d samples", s.key, len(d.Labels), n)
	}
	some := d.Rows(bench.DrawnRows(n, s.samples))
	return &known{data: nmf.Dense(s.samples, m, some.X.RawMatrix().Data), labels: some.Labels}, nil
}

func (s *set) readSparse(e *bench.Env) (*known, error) {
	x, err := files.ReadSparse(bench.DataFile(e.Data, s.file), files.Options{})
	if err != nil {
		return nil, err
	}
	labels, err := files.ReadLabels(bench.DataFile(e.Data, bench.FromFile(s.file).PartFile("y")), files.Options{})
	if err != nil {
		return nil, err
	}
	k := &known{}
	some := &sparse.CSR{Cols: x.Cols, Ptr: []int{0}}
	for _, i := range bench.DrawnRows(x.Rows, s.samples) {
		cols, vals := x.Row(i)
		some.Col, some.Val = append(some.Col, cols...), append(some.Val, vals...)
		some.Ptr = append(some.Ptr, len(some.Col))
		k.labels = append(k.labels, labels[i])
	}
	some.Rows = len(some.Ptr) - 1
	k.data = nmf.Sparse(some)
	return k, nil
}

// counts are the programmes of the generator of that name.
func (s *set) counts(seed uint64) (*known, error) {
	p, err := datasets.GenerateProgrammes(600, seed, map[string]string{"programmes": fmt.Sprint(s.rank), "dims": "600", "depth": "150"})
	if err != nil {
		return nil, err
	}
	return &known{data: nmf.Sparse(p.Counts), labels: p.Labels, components: p.Spectra}, nil
}

// draw makes 300 samples of 240 columns from components half of whose entries are zero. Two fifths of the entries of
// the coordinates are not zero; of separable data the first samples have one each, three for every component. Noise of the law
// gamma multiplies; there components and coordinates have a floor, as no entry may be zero.
func (s *set) draw(seed uint64) *known {
	const n, m = drawnSamples, 240
	random := blas.NewStream(seed)
	some := func(count int, share float64) []float64 {
		x := make([]float64, count)
		random.Normals(x)
		for i, v := range x {
			if x[i] = math.Abs(v); random.Uniform() > share {
				x[i] = 0
			}
			if s.law == "gamma" {
				x[i] += 0.01
			}
		}
		return x
	}
	h, w := some(s.rank*m, 0.5), some(n*s.rank, 0.4)
	labels := make([]int64, n)
	for i := range n {
		row := w[i*s.rank : (i+1)*s.rank]
		if s.separable && i < 3*s.rank {
			clear(row)
			row[i/3] = 1
		} else if slices.Max(row) == 0 {
			row[random.Below(s.rank)] = 1
		}
		for k, v := range row {
			if v > row[labels[i]] {
				labels[i] = int64(k)
			}
		}
	}
	x := mat.NewDense(n, m, nil)
	x.Mul(mat.NewDense(n, s.rank, w), mat.NewDense(s.rank, m, h))
	data := x.RawMatrix().Data
	var sum float64
	for _, v := range data {
		sum += v
	}
	noise := make([]float64, len(data))
	random.Normals(noise)
	scale := s.noise * sum / float64(len(data))
	for i := range data {
		if s.law == "gamma" { // of shape 4: the mean of four exponential numbers
			var factor float64
			for range 4 {
				factor -= math.Log(1-random.Uniform()) / 4
			}
			data[i] *= max(1e-3, factor)
			continue
		}
		data[i] = max(0, data[i]+scale*noise[i])
	}
	return &known{data: nmf.Dense(n, m, data), labels: labels, components: mat.NewDense(s.rank, m, h)}
}
