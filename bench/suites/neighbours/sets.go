package neighbours

import (
	"fmt"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/files"
)

// dataSet is a set of samples whose neighbours are searched.
type dataSet struct {
	name      string
	n, m      int
	intrinsic int      // intrinsic dimension of generated samples; 0: samples from files
	files     []string // whose rows are concatenated

	exact   bool      // our exact search runs
	recalls []float64 // targets of our approximate search
	single  float64   // one of them that also runs on one thread; 0: none
	peers   bool
	flat    bool   // faiss also compares all pairs
	full    bool   // left out by --quick
	quick   bool   // other programs search it with --quick, too
	memory  string // memory that a case needs; empty: little
}

// Targets of the recall.
var targets = []float64{0.8, 0.9, 0.95, 0.99, 0.999}

// sets are in the order in which they run: the longest come last.
var sets = []dataSet{
	{name: "mnist", n: 70000, m: 784, files: []string{"mnist60k.X.npy.gz", "mnist10k.X.npy"}, exact: true, recalls: targets, peers: true, flat: true, memory: "3GiB"},
	{name: "100k-128-d15", n: 100000, m: 128, intrinsic: 15, exact: true, recalls: targets, peers: true, flat: true, quick: true},
	{name: "100k-128-d30", n: 100000, m: 128, intrinsic: 30, exact: true, recalls: targets, peers: true, flat: true},
	{name: "1m-3", n: 1000000, m: 3, intrinsic: 2, exact: true},
	{name: "10m-3", n: 10000000, m: 3, intrinsic: 2, exact: true, full: true, memory: "8GiB"},
	{name: "1m-50-d15", n: 1000000, m: 50, intrinsic: 15, recalls: targets, peers: true, memory: "4GiB"},
	{name: "1m-128-d15", n: 1000000, m: 128, intrinsic: 15, recalls: targets, single: 0.95, peers: true, full: true, memory: "6GiB"},
	{name: "1m-128-d30", n: 1000000, m: 128, intrinsic: 30, recalls: targets, peers: true, full: true, memory: "6GiB"},
	{name: "3m-384-d30", n: 3000000, m: 384, intrinsic: 30, recalls: []float64{0.8}, full: true, memory: "13GiB"},
}

// quickly is the number of samples that --quick takes from each set.
const quickly = 5000

// samples returns the number of samples.
func (s *dataSet) samples(e *bench.Env) int {
	if e.Quick {
		return min(s.n, quickly)
	}
	return s.n
}

// title describes the samples in a record.
func (s *dataSet) title() string {
	if len(s.files) > 0 {
		return s.files[0] + " and " + s.files[1]
	}
	return fmt.Sprintf("clusters of dimension %d in %d columns", s.intrinsic, s.m)
}

func (s *dataSet) needs(e *bench.Env) []string {
	var list []string
	for _, name := range s.files {
		list = append(list, "data:"+name)
	}
	if s.memory != "" && !e.Quick {
		list = append(list, "memory:"+s.memory)
	}
	return list
}

// write writes the samples as float32.
func (s *dataSet) write(e *bench.Env, path string) error {
	n := s.samples(e)
	if len(s.files) == 0 {
		return writeArray(path, n, s.m, newClustered(s.m, s.intrinsic, 1).rows)
	}
	var parts []*mat.Dense
	rows := 0
	for _, name := range s.files {
		x, err := files.ReadMatrix(bench.DataFile(e.Data, name), files.Options{})
		if err != nil {
			return err
		}
		if r, c := x.Dims(); c != s.m {
			return fmt.Errorf("%s has %d × %d entries; want %d columns", name, r, c, s.m)
		}
		parts, rows = append(parts, x), rows+x.RawMatrix().Rows
	}
	if rows < n {
		return fmt.Errorf("%s have %d rows together; want %d", s.title(), rows, n)
	}
	return writeArray(path, n, s.m, func(lo, hi int, dst []float64) {
		for i := lo; i < hi; i++ {
			at, part := i, 0
			for at >= parts[part].RawMatrix().Rows {
				at, part = at-parts[part].RawMatrix().Rows, part+1
			}
			copy(dst[(i-lo)*s.m:], parts[part].RawRowView(at))
		}
	})
}

// caseName returns the name of a case of a set.
func (s *dataSet) caseName(what string) string { return s.name + "/" + what }

// samplesIn returns the file of the samples in a folder.
func samplesIn(dir string) string { return filepath.Join(dir, "x.npy") }
