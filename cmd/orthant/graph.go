package main

import (
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/disk"
)

// structure is what a command takes in place of a search, or of samples: the files of a
// graph, of affinities or of distances, of which one at most is given. smacof takes affinities, as weights, with one of the others.
type structure struct{ graph, affinities, distances string }

// structureFlags are its flags.
var structureFlags = []string{"graph", "affinities", "distances"}

// addFlags adds them.
func (s *structure) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.graph, "graph", "", "`FILE` with the neighbour graph, in place of a search: a sparse n × n matrix of distances, .npz or .mtx, as \"orthant neighbors --out\" writes it; methods of graphs alone then need no --in; for smacof the pairs whose distance is known")
	f.StringVar(&s.affinities, "affinities", "", "`FILE` with the weights of the edges, in place of a search and of the method's own: a sparse symmetric n × n matrix ≥ 0, .npz or .mtx, whose diagonal does not count; for smacof the weights of pairs, with --in, --distances or --graph")
	f.StringVar(&s.distances, "distances", "", "`FILE` with all distances, n × n, in place of samples or of a search among them; for smacof nan is an unknown one")
}

// paths are the flags and what they say, for [oneStandardInput].
func (s structure) paths() []string {
	return []string{"--graph", s.graph, "--affinities", s.affinities, "--distances", s.distances}
}

// structured reports whether there is one.
func (s structure) structured() bool { return s.graph+s.affinities+s.distances != "" }

// check refuses more than one.
func (s structure) check() error {
	var first string
	for i, path := range s.paths() {
		if i%2 == 0 || path == "" {
			continue
		}
		switch flag := s.paths()[i-1]; {
		case flag == "--affinities": // the engine knows whether a method takes them as weights
		case first != "":
			return wrong("%s and %s are given together; give one of them", first, flag)
		default:
			first = flag
		}
	}
	return nil
}

// readStructure reads what is given into the options, and returns the number of samples and
// the file that determines it; no file: nothing is given. Only the entries are checked
// here: the engine checks whether they match the samples.
func (inv *invocation) readStructure(s structure, o *engine.Options) (n int, of string, err error) {
	if s.affinities != "" {
		of = s.affinities
		o.Affinities, err = sharing(inv.shared, of, func() (mat.Matrix, error) { return files.ReadSparse(of, inv.reading()) })
		if err != nil {
			return 0, "", err
		}
		n, _ = o.Affinities.Dims()
	}
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

// sharedFiles are the graphs, affinities and distances that several jobs of a batch name.
// Each is read once, and kept until the last of these jobs has ended. What is read is not
// changed by any job.
type sharedFiles struct {
	mu   sync.Mutex
	kept map[string]*sharedFile
}

// sharedFile is one of them.
type sharedFile struct {
	users int
	mu    sync.Mutex // held while it is read
	value any        // nil: not read yet
	size  int64      // of the file that was read, and its time: another one is read again
	time  time.Time
}

// expect counts a job among the users of the files that it names.
func (s *sharedFiles) expect(j *job) { s.count(j, 1) }

// release is expect taken back.
func (s *sharedFiles) release(j *job) { s.count(j, -1) }

func (s *sharedFiles) count(j *job, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range structurePaths(j) {
		if s.kept[path] == nil {
			s.kept[path] = &sharedFile{}
		}
		if s.kept[path].users += by; s.kept[path].users <= 0 {
			delete(s.kept, path)
		}
	}
}

// structurePaths are the files that a job gives in place of a search, as its command reads
// them.
func structurePaths(j *job) []string {
	var paths []string
	for _, arg := range j.args {
		for _, flag := range structureFlags {
			if path, is := strings.CutPrefix(arg, "--"+flag+"="); is {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// sharing reads a file, or takes what another job has read of it. An error is not kept: a
// job that has more memory may read what this one could not.
func sharing[T any](s *sharedFiles, path string, read func() (T, error)) (T, error) {
	if s == nil || path == "-" {
		return read()
	}
	s.mu.Lock()
	f := s.kept[path]
	s.mu.Unlock()
	if f == nil {
		return read()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := disk.Files().Stat(path)
	if err != nil {
		return read() // which says what is wrong
	}
	if v, is := f.value.(T); is && f.size == info.Size() && f.time.Equal(info.ModTime()) {
		return v, nil
	}
	v, err := read()
	if err == nil {
		f.value, f.size, f.time = v, info.Size(), info.ModTime()
	}
	return v, err
}
