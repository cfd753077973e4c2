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
	"github.com/orthant-go/orthant/sparse"
)

// structure is what a command takes in place of a search, or of samples: the files of a
// graph, of affinities or of distances, of which one at most is given. smacof takes affinities, as weights, with one of the others.
type structure struct {
	graph, affinities, distances string

	vertices *vertices // of a list of edges; nil: none was given
}

// vertices are those of a list of edges: their ids, in the order in which the list names them first.
type vertices struct {
	path string
	ids  []string
}

// structureFlags are its flags.
var structureFlags = []string{"graph", "affinities", "distances"}

// addFlags adds them.
func (s *structure) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.graph, "graph", "", "`FILE` with the neighbour graph, in place of a search: a sparse n × n matrix of distances, .npz or .mtx, as \"orthant neighbors --out\" writes it, or a table of edges (.csv, .tsv) with columns from, to and perhaps weight, their length; methods of graphs alone then need no --in; for smacof the pairs whose distance is known")
	f.StringVar(&s.affinities, "affinities", "", "`FILE` with the weights of the edges, in place of a search and of the method's own: a sparse symmetric n × n matrix ≥ 0, .npz or .mtx, whose diagonal does not count, or a table of edges (.csv, .tsv) with columns from, to and perhaps weight; for smacof the weights of pairs, with --in, --distances or --graph")
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
// the file that determines it; no file: nothing is given. The samples, if there are any, have been read: the vertices of a list of
// edges are matched to their ids, and otherwise are the ids themselves. Only the entries are checked
// here: the engine checks whether they match the samples. directed: each line of a list of edges leads one way.
func (inv *invocation) readStructure(s *structure, t *tableFlags, samples string, directed bool, o *engine.Options) (n int, of string, err error) {
	if s.affinities != "" {
		of = s.affinities
		o.Affinities, err = inv.readAffinities(s, t, samples)
		if err != nil {
			return 0, "", err
		}
		n, _ = o.Affinities.Dims()
	}
	switch {
	case s.graph != "":
		if o.Graph, err = inv.readGraph(s, t, samples, directed); err != nil {
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

// readAffinities reads the weights of edges, as a matrix or a list.
func (inv *invocation) readAffinities(s *structure, t *tableFlags, samples string) (mat.Matrix, error) {
	e, err := inv.readEdges(s.affinities)
	if err == nil && e != nil {
		e, err = s.place(e, t, s.affinities, samples)
	}
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return sharing(inv.shared, s.affinities, func() (mat.Matrix, error) { return inv.readSquare(s.affinities) })
	}
	w, repeated := e.Adjacency()
	inv.warnOfEdges(s.affinities, e)
	if repeated > 0 {
		inv.warn("%s: %s the same vertices as an earlier line; their weights are added", s.affinities, joins(repeated))
	}
	return w, nil
}

// readGraph reads the distances of neighbours, as a matrix or a list.
func (inv *invocation) readGraph(s *structure, t *tableFlags, samples string, directed bool) (*neighbors.Graph, error) {
	e, err := inv.readEdges(s.graph)
	if err == nil && e != nil {
		e, err = s.place(e, t, s.graph, samples)
	}
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return sharing(inv.shared, s.graph, func() (*neighbors.Graph, error) {
			a, err := inv.readSquare(s.graph)
			if err != nil {
				return nil, err
			}
			return graphOf(s.graph, a)
		})
	}
	a, differing := e.Lengths(directed)
	inv.warnOfEdges(s.graph, e)
	if differing > 0 {
		inv.warn("%s: %s the same vertices as another line at another length; the shortest counts", s.graph, joins(differing))
	}
	return graphOf(s.graph, a)
}

// joins says that some lines join vertices.
func joins(lines int) string {
	if lines == 1 {
		return "1 line joins"
	}
	return counted(lines, "line") + " join"
}

// graphOf is the graph of a matrix of distances.
func graphOf(path string, a *sparse.CSR) (*neighbors.Graph, error) {
	g, err := neighbors.FromMatrix(a)
	if err != nil {
		return nil, wrong("%s: %v", path, err)
	}
	return g, nil
}

// readSquare reads a sparse matrix, and for another table says how a list of edges is written.
func (inv *invocation) readSquare(path string) (*sparse.CSR, error) {
	a, err := files.ReadSparse(path, inv.reading())
	if path == "-" || !files.HasColumns(path) {
		return a, err
	}
	const list = "a list of edges has a header with from and to, or names its columns behind a colon"
	if err != nil && files.IsText(err) {
		return nil, wrong("%v; %s (%s:1,2)", err, list, path)
	}
	if err == nil && a.Rows != a.Cols {
		return nil, wrong("%s is %d × %d, and a matrix of a graph is square; %s (%s:1,2)", path, a.Rows, a.Cols, list, path)
	}
	return a, err
}

// readEdges reads a list of edges; nil: the file is a matrix.
func (inv *invocation) readEdges(path string) (*files.Edges, error) {
	if is, err := files.IsEdges(path, inv.reading()); err != nil || !is {
		return nil, err
	}
	return sharing(inv.shared, path, func() (*files.Edges, error) { return files.ReadEdges(path, inv.reading()) })
}

// warnOfEdges says which edges a matrix leaves out.
func (inv *invocation) warnOfEdges(path string, e *files.Edges) {
	if loops := e.Loops(); loops > 0 {
		inv.warn("%s: %s from a vertex to itself left out, of which the vertices stay", path, counted(loops, "edge"))
	}
}

// place numbers the vertices of a list of edges as the samples are, by their ids, or, where there are none, makes them the samples.
func (s *structure) place(e *files.Edges, t *tableFlags, path, samples string) (*files.Edges, error) {
	switch {
	case samples != "" && t.ids == nil:
		return nil, wrong("%s names vertices by their ids, and the samples of %s have none; name their column (--id), or give the graph as a matrix, .npz or .mtx, whose rows are those of the samples", path, samples)
	case samples == "" && s.vertices == nil:
		s.vertices = &vertices{path, e.IDs}
		t.id, t.ids, t.idName, t.titled, t.total = "id", e.IDs, "id", true, len(e.IDs)
		return e, nil
	case samples == "": // a list of weights with a list of lengths
		samples = s.vertices.path
	}
	row := make(map[string]int32, len(t.ids))
	for i, id := range t.ids {
		if _, twice := row[id]; twice {
			return nil, wrong("%s has the id %q twice, and %s does not say which of the two it means; make the ids different", samples, id, path)
		}
		row[id] = int32(i)
	}
	to := make([]int32, len(e.IDs))
	for v, id := range e.IDs {
		at, known := row[id]
		if !known {
			return nil, wrong("%s has the vertex %q, which is not among the ids of %s; add it there, or leave its edges out", path, id, samples)
		}
		to[v] = at
	}
	placed := &files.Edges{IDs: t.ids, From: make([]int32, len(e.From)), To: make([]int32, len(e.To)), Weight: e.Weight}
	for k := range e.From {
		placed.From[k], placed.To[k] = to[e.From[k]], to[e.To[k]]
	}
	return placed, nil
}

// isDirected reports whether the parameters of a method say how to join the neighbour lists of two samples, which differ only if edges
// lead one way.
func isDirected(m engine.Method) bool {
	switch engine.Values(m)["graph"] {
	case "mutual", "average":
		return true
	}
	return false
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
