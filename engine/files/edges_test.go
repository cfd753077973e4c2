package files

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// text is a list of edges in words.
func (e *Edges) text() string {
	var b strings.Builder
	for k, i := range e.From {
		fmt.Fprintf(&b, "%s-%s", e.IDs[i], e.IDs[e.To[k]])
		if e.Weight != nil {
			fmt.Fprintf(&b, ":%v", e.Weight[k])
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

var edgeCases = []struct{ name, text, ids, want string }{
	{"e.csv", "from,to\nb,a\na,c\n", "b a c", "b-a a-c"},
	{"e.csv", "from,to,weight\n2,1,0.5\n1,7,3e2\n", "2 1 7", "2-1:0.5 1-7:300"},
	{"e.csv", "weight,to,note,from\n1,x,\"a,b\",y\n2,y,,z\n", "y x z", "y-x:1 z-y:2"},
	{"e.csv", "Source,Target,Type,Weight\n1,2,Undirected,1.5\n", "1 2", "1-2:1.5"},
	{"e.csv", "from,to\n\"Ann, A.\",\"the \"\"B\"\"\"\n  Cy ,NA\n", "Ann, A.|the \"B\"|Cy|NA", "Ann, A.-the \"B\" Cy-NA"},
	{"e.csv", "from,to\n007,7\n7,-7\n1e0,1\n+7,7.0\n", "007 7 -7 1e0 1 +7 7.0", "007-7 7--7 1e0-1 +7-7.0"},
	{"e.csv", "from,to\nhub,centre\n1,2\n", "hub centre 1 2", "hub-centre 1-2"}, // no line of units
	{"e.csv", "from;to;weight\na;b;1,5\nb;c;2,25\n", "a b c", "a-b:1.5 b-c:2.25"},
	{"e.csv", "\xef\xbb\xbffrom,to\r\na,b\r\n\r\n", "a b", "a-b"},
	{"e.tsv", "from\tto\na b\tc\n", "a b|c", "a b-c"},
	{"e.txt", "# Directed graph\n# FromNodeId\tToNodeId\n0\t11342\n0\t824730\n", "0 11342 824730", "0-11342 0-824730"},
	{"e.csv:a,b,km", "km,a,b\n4,x,y\n", "x y", "x-y:4"},
	{"e.csv:a,b", "km,a,b\n4,x,y\n", "x y", "x-y"},
	{"e.csv:1,2", "x,y\ny,z\n", "x y z", "x-y y-z"},
	{"e.csv:1,2", "src,dst\n1,2\n", "1 2", "1-2"},
	{"e.csv:1-3", "a,c,1\nb,c,3\n", "a c b", "a-c:1 b-c:3"},
	{"e.txt:1,2", "1 2\n2 3\n3 4\n", "1 2 3 4", "1-2 2-3 3-4"},
	{"e.csv", "from,to\nonly,only", "only", "only-only"},
}

func TestReadEdges(t *testing.T) {
	for _, c := range edgeCases {
		file, selection, _ := strings.Cut(c.name, ":")
		path := write(t, file, []byte(c.text))
		if selection != "" {
			path += ":" + selection
		}
		if is, err := IsEdges(path, Options{}); !is || err != nil {
			t.Errorf("%s %q is a list of edges: %v, %v", c.name, c.text, is, err)
		}
		e, err := ReadEdges(path, Options{})
		if err != nil {
			t.Errorf("%s %q: %v", c.name, c.text, err)
			continue
		}
		between := " "
		if strings.Contains(c.ids, "|") {
			between = "|"
		}
		if got := strings.Join(e.IDs, between); got != c.ids || e.text() != c.want {
			t.Errorf("%s %q: ids %s, edges %s; want %s and %s", c.name, c.text, got, e.text(), c.ids, c.want)
		}
	}
	for _, text := range []string{"1,2\n2,3\n", "a,b,c\n1,2,3\n", "from,until\n1,2\n", ""} {
		if is, err := IsEdges(write(t, "e.csv", []byte(text)), Options{}); is || err != nil {
			t.Errorf("%q is a list of edges: %v, %v", text, is, err)
		}
	}
	if is, err := IsEdges(write(t, "e.npy", nil), Options{}); is || err != nil {
		t.Errorf("an .npy is a list of edges: %v, %v", is, err)
	}
}

func TestReadEdgesRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"e.csv", "", "the file is empty"},
		{"e.csv", "from,to\n", "there are no edges"},
		{"e.csv", "from,until\na,b\n", "no columns are called from and to (the table has from, until)"},
		{"e.csv", "1,2\n2,3\n", "write one, or name the columns behind a colon, as in edges.csv:1,2"},
		{"e.csv", "from,to\na,b\nc,\n", "line 3, column 2 (to) is empty: an edge needs the ids of both ends"},
		{"e.csv", "from,to\na,b\n\" \",b\n", "line 3, column 1 (from) is empty"},
		{"e.csv", "from,to\na,b\n\nb,c\n", "line 3 is empty"},
		{"e.csv", "from,to\na,b\nb\n", "line 3 has 1 field where the header has 2"},
		{"e.csv", "from,to\na,b\nb,c,d\n", "line 3 has 3 fields where the header has 2"},
		{"e.csv", "from,to,weight\na,b,\n", `line 2, column 3 (weight) is "", and every edge needs its weight`},
		{"e.csv", "from,to,weight\na,b,NA\n", `line 2, column 3 (weight) is "NA", and every edge needs its weight`},
		{"e.csv", "from,to,weight\na,b,1\na,c,NaN\n", `line 3, column 3 (weight) is "NaN": give a finite number`},
		{"e.csv", "from,to,weight\na,b,-1\n", `line 2, column 3 (weight) is "-1": give a finite number`},
		{"e.csv", "from,to,weight\na,b,inf\n", `line 2, column 3 (weight) is "inf": give a finite number`},
		{"e.csv", "from,to,weight\na,b,1e999\n", "outside the range of double precision"},
		{"e.csv", "from,to,weight\na,b,heavy\n", `line 2, column 3 (weight): "heavy" is not a number`},
		{"e.csv:1", "a,b\nb,c\n", "1 column selected"},
		{"e.csv:1-4", "1,2,3,4\n", "4 columns selected"},
		{"e.csv:a,d", "a,b\n1,2\n", `the table has no column "d"`},
		{"e.csv", "\xff\xfef\x00", "UTF-16"},
		{"e.npy", "", "a list of edges is a table"},
	} {
		file, selection, _ := strings.Cut(c.name, ":")
		path := write(t, file, []byte(c.text))
		if selection != "" {
			path += ":" + selection
		}
		_, err := ReadEdges(path, Options{})
		wantError(t, err, OpRead, path, c.want)
	}
	_, err := ReadEdges(write(t, "e.csv", []byte("from,to\n"+strings.Repeat("a,b\n", 1000))), Options{MaxBytes: 20000})
	if !IsTooLarge(err) {
		t.Errorf("1000 edges within 20 kB: %v", err)
	}
}

// Vertices are numbered as they come, whatever the blocks, the threads and the compression, and columns that are not read are noted.
func TestReadEdgesInBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var text bytes.Buffer
	text.WriteString("from,to,weight\n")
	var want Edges
	known := map[string]int32{}
	number := func(id string) int32 {
		if _, is := known[id]; !is {
			known[id] = int32(len(want.IDs))
			want.IDs = append(want.IDs, id)
		}
		return known[id]
	}
	for k := range 60000 {
		ids := [2]string{}
		for side := range ids {
			if ids[side] = fmt.Sprint(rng.IntN(30000)); rng.IntN(3) == 0 {
				ids[side] = "v" + ids[side]
			}
		}
		want.From, want.To, want.Weight = append(want.From, number(ids[0])), append(want.To, number(ids[1])), append(want.Weight, float64(k%7)/2)
		fmt.Fprintf(&text, "%s,%s,%v\n", ids[0], ids[1], float64(k%7)/2)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	must.Get(z.Write(text.Bytes()))(t)
	must.Do(t, z.Close())
	paths := []string{write(t, "e.csv", text.Bytes()), write(t, "e.csv.gz", packed.Bytes())}
	for _, threads := range []int{1, 3} {
		before := runtime.GOMAXPROCS(threads)
		for _, path := range paths {
			got := must.Get(ReadEdges(path, Options{MaxBytes: 1 << 28}))(t)
			if !reflect.DeepEqual(got, &want) {
				t.Errorf("%s on %d threads: other edges", path, threads)
			}
		}
		runtime.GOMAXPROCS(before)
	}
	var notes []string
	must.Get(ReadEdges(write(t, "e.csv", []byte("from,to,kind,label\na,b,x,y\n")), Options{Note: func(text string) { notes = append(notes, text) }}))(t)
	if len(notes) != 1 || !strings.Contains(notes[0], "not read of the edges: kind, label") {
		t.Errorf("notes %q", notes)
	}
}

// The matrices of a list against dense ones, entry by entry.
func TestEdgesAsMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n = 6
	for range 200 {
		e := &Edges{IDs: make([]string, n)}
		weighted := rng.IntN(2) == 0
		d, directed, undirected := [n][n]float64{}, [n][n]float64{}, [n][n]float64{}
		for i := range n {
			for j := range n {
				directed[i][j], undirected[i][j] = -1, -1
			}
		}
		shortest := func(to *float64, v float64) {
			if *to < 0 || v < *to {
				*to = v
			}
		}
		loops := 0
		mirror := rng.IntN(2) == 0
		add := func(i, j int, v float64) {
			e.From, e.To = append(e.From, int32(i)), append(e.To, int32(j))
			if weighted {
				e.Weight = append(e.Weight, v)
			}
			if i == j {
				loops++
				return
			}
			d[i][j] += v
			shortest(&directed[i][j], v)
			shortest(&undirected[i][j], v)
			shortest(&undirected[j][i], v)
		}
		for range rng.IntN(12) {
			i, j, v := rng.IntN(n), rng.IntN(n), 1.0
			if weighted {
				v = float64(rng.IntN(4))
			}
			if add(i, j, v); mirror {
				add(j, i, v)
			}
		}
		symmetric := true
		for i := range n {
			for j := range n {
				symmetric = symmetric && d[i][j] == d[j][i]
			}
		}
		w, _ := e.Adjacency()
		a, _ := e.Lengths(true)
		b, _ := e.Lengths(false)
		for _, m := range []*sparse.CSR{w, a, b} {
			must.Do(t, m.Validate())
		}
		if e.Loops() != loops {
			t.Fatalf("%d loops, want %d", e.Loops(), loops)
		}
		for i := range n {
			for j := range n {
				want := d[i][j] + d[j][i]
				if symmetric {
					want = d[i][j]
				}
				if w.At(i, j) != want {
					t.Fatalf("%s: weight %d %d is %v, want %v", e.text(), i, j, w.At(i, j), want)
				}
				for _, c := range []struct {
					m    *sparse.CSR
					want float64
				}{{a, directed[i][j]}, {b, undirected[i][j]}} {
					cols, vals := c.m.Row(i)
					at, stored := slices.BinarySearch(cols, int32(j))
					if stored != (c.want >= 0) || stored && vals[at] != c.want {
						t.Fatalf("%s: length %d %d is %v %v, want %v", e.text(), i, j, stored, c.m.At(i, j), c.want)
					}
				}
			}
		}
	}
	e := &Edges{IDs: make([]string, 2), From: []int32{0, 1, 0}, To: []int32{1, 0, 1}, Weight: []float64{1, 4, 2}}
	if _, repeated := e.Adjacency(); repeated != 2 {
		t.Errorf("%d lines repeat, want 2", repeated)
	}
	if _, differing := e.Lengths(false); differing != 2 {
		t.Errorf("%d lines are left out, want 2", differing)
	}
}

// FuzzEdges: the same edges of one block as of many, or no edges of either.
func FuzzEdges(f *testing.F) {
	for _, c := range edgeCases {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		decode := func(block int) (*Edges, error) {
			r := &edgeReader{textReader: newTextReader(source{Reader: bytes.NewReader(b), size: int64(len(b))}, textForm{sep: ','}, budget{})}
			r.blocks.size = block
			return r.read()
		}
		whole, err := decode(len(b) + 1)
		parts, other := decode(16)
		if (err == nil) != (other == nil) || !reflect.DeepEqual(whole, parts) {
			t.Fatalf("%v, in parts %v, errors %v and %v", whole, parts, err, other)
		}
		if err != nil {
			return
		}
		for k, i := range whole.From {
			if int(max(i, whole.To[k])) >= len(whole.IDs) || whole.Weight != nil && !(whole.Weight[k] >= 0) {
				t.Fatalf("edge %d of %v", k, whole)
			}
		}
	})
}
