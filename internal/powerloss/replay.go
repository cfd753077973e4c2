package powerloss

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// State is what a loss of power may leave.
type State struct {
	Name      string   // after which call, and what of it is lost
	Marks     []string // that came before
	recording *Recording
	files     map[string][]byte // by the path; nil: a folder
}

// loss is what becomes of data that were not brought to the disk.
type loss string

const (
	nothing loss = "no data lost" // as when the process is killed
	all     loss = "data lost"
	half    loss = "second half of the data lost"
	zeros   loss = "zeros for data"
	holes   loss = "zeros for the first half of the data"
)

// States gives every state after each of the calls, none of them twice between two marks.
func (r *Recording) States() iter.Seq[State] {
	return func(yield func(State) bool) {
		seen := map[string]bool{}
		var marks []string
		for done := 0; done <= len(r.calls); done++ {
			last := "the beginning"
			if done > 0 {
				c := r.calls[done-1]
				last = fmt.Sprintf("call %d, %s", done, c)
				if c.what == "mark" {
					marks = append(marks, c.path)
					clear(seen)
				}
			}
			m := r.replay(r.calls[:done])
			for kept := range m.namings() {
				for _, l := range []loss{nothing, all, half, zeros, holes} {
					s := State{fmt.Sprintf("%s, %d of %d names kept, %s", last, count(kept), len(kept), l), slices.Clone(marks), r, m.files(kept, l)}
					if key := s.key(); !seen[key] {
						seen[key] = true
						if !yield(s) {
							return
						}
					}
				}
			}
		}
	}
}

func count(kept []bool) (n int) {
	for _, k := range kept {
		if k {
			n++
		}
	}
	return n
}

func (s State) key() string {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		fmt.Fprintf(&b, "%q %v %q\n", name, s.files[name] == nil, s.files[name])
	}
	return b.String()
}

// memory is what the disk and the system's memory hold after some calls.
type memory struct {
	names    map[string]*node // on the disk
	pending  []call           // to names, in memory
	synced   map[*node][]byte
	unsynced map[*node][]call
}

func (r *Recording) replay(calls []call) *memory {
	m := &memory{maps.Clone(r.before), nil, map[*node][]byte{}, map[*node][]call{}}
	for _, n := range r.before {
		m.synced[n] = n.text
	}
	for _, c := range calls {
		switch c.what {
		case "write", "truncate":
			m.unsynced[c.node] = append(m.unsynced[c.node], c)
		case "fsync":
			m.synced[c.node] = m.content(c.node, nothing)
			delete(m.unsynced, c.node)
		case "make", "rename", "remove":
			m.pending = append(m.pending, c)
		case "sync":
			m.pending = slices.DeleteFunc(m.pending, func(p call) bool {
				if !p.in(c.path) {
					return false
				}
				p.apply(m.names)
				return true
			})
		}
	}
	return m
}

// in reports whether a call changes the names in a folder. No file moves to another one.
func (c call) in(folder string) bool { return filepath.Dir(c.path) == folder }

func (c call) apply(names map[string]*node) {
	switch c.what {
	case "make":
		names[c.path] = c.node
	case "remove":
		delete(names, c.path)
	case "rename":
		if names[c.path] == c.node {
			delete(names, c.path)
		}
		names[c.to] = c.node
	}
}

// namings gives what may be kept of the names that are pending: anything, where they are
// few; else the first of them, all but one, or one.
func (m *memory) namings() iter.Seq[[]bool] {
	n := len(m.pending)
	return func(yield func([]bool) bool) {
		if n <= 5 {
			for bits := range 1 << n {
				kept := make([]bool, n)
				for i := range kept {
					kept[i] = bits>>i&1 == 1
				}
				if !yield(kept) {
					return
				}
			}
			return
		}
		for at := range n + 1 {
			first, but, one := make([]bool, n), make([]bool, n), make([]bool, n)
			for i := range n {
				first[i], but[i], one[i] = i < at, i != at, i == at
			}
			if !yield(first) || !yield(but) || !yield(one) {
				return
			}
		}
	}
}

// files returns what is found afterwards.
func (m *memory) files(kept []bool, l loss) map[string][]byte {
	names := maps.Clone(m.names)
	for i, c := range m.pending {
		if kept[i] {
			c.apply(names)
		}
	}
	found := map[string][]byte{}
	for name, n := range names {
		reached := true
		for above := name; above != "." && reached; {
			above = filepath.Dir(above)
			reached = names[above] != nil
		}
		if !reached {
			continue
		}
		if found[name] = nil; !n.folder {
			found[name] = m.content(n, l)
		}
	}
	return found
}

// content returns what a file holds where so much is lost.
func (m *memory) content(n *node, l loss) []byte {
	text := append([]byte{}, m.synced[n]...)
	if l == all {
		return text
	}
	total, done := 0, 0
	for _, c := range m.unsynced[n] {
		total += len(c.data)
	}
	for _, c := range m.unsynced[n] {
		if c.what == "truncate" {
			text = append(text, make([]byte, max(int(c.at)-len(text), 0))...)[:c.at]
			continue
		}
		old := len(text)
		text = append(text, make([]byte, max(int(c.at)+len(c.data)-old, 0))...)
		for i, b := range c.data {
			first := 2*(done+i) < total
			if l == nothing || l == half && first || l == holes && !first {
				text[int(c.at)+i] = b
			}
		}
		if l == half && 2*(done+len(c.data)) > total {
			return text[:max(old, min(len(text), int(c.at)+max(total/2-done, 0)))]
		}
		done += len(c.data)
	}
	return text
}

// Put makes the folder so. Files that are so already keep their time of change.
func (s State) Put(t *testing.T) {
	t.Helper()
	var extra []string
	err := filepath.WalkDir(s.recording.folder, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name, _ := s.recording.within(path); !has(s.files, name) {
			extra = append(extra, path)
		}
		return nil
	})
	for _, path := range extra {
		if err == nil {
			err = os.RemoveAll(path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		path, text := filepath.Join(s.recording.folder, name), s.files[name]
		if text == nil {
			if e := os.MkdirAll(path, 0o777); err == nil {
				err = e
			}
			continue
		}
		if held, e := os.ReadFile(path); e != nil || !bytes.Equal(held, text) {
			if e := os.WriteFile(path, text, 0o666); err == nil {
				err = e
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func has(files map[string][]byte, name string) bool {
	_, found := files[name]
	return found
}
