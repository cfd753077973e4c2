package hdf5

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// visit reads everything of a file, whatever errors come.
func visit(t testing.TB, b []byte) {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return
	}
	root, err := f.Root()
	if err != nil {
		return
	}
	left := 300 // objects
	var walk func(o *Object, depth int)
	walk = func(o *Object, depth int) {
		if left--; left < 0 || depth > 6 {
			return
		}
		a, err := o.Attribute("attribute3")
		if err == nil {
			a.Text()
			a.Numbers()
		}
		if o.IsDataset() {
			visitDataset(t, o)
		}
		if !o.IsGroup() {
			return
		}
		names, err := o.Members()
		if err != nil {
			return
		}
		for _, name := range names {
			if below, err := o.Lookup(name); err == nil {
				walk(below, depth+1)
			}
		}
	}
	walk(root, 0)
}

func visitDataset(t testing.TB, o *Object) {
	_, _, _ = o.Info()
	d, err := o.Dataset()
	if err != nil {
		return
	}
	held := d.Held(2)
	if d.Bytes() > 1<<22 || held > 1<<26 {
		return
	}
	if d.Type.Class == String {
		_, _ = d.Texts()
	}
	raw, err := d.All()
	if err == nil && int64(len(raw)) != d.Bytes() {
		t.Fatalf("%d bytes of %d", len(raw), d.Bytes())
	}
}

// Any bytes are read or refused: nothing panics, hangs, or takes memory that the bytes do not justify.
func FuzzFile(f *testing.F) {
	withoutChecksums(f)
	for _, path := range must.Get(filepath.Glob("testdata/*.h5"))(f) {
		f.Add(must.Get(os.ReadFile(path))(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) { visit(t, b) })
}

// withoutChecksums has a test reach what lies behind the checksums of metadata.
func withoutChecksums(t testing.TB) {
	verified = false
	t.Cleanup(func() { verified = true })
}

// The same with bits of real files turned and their ends cut.
func TestDamagedFiles(t *testing.T) {
	withoutChecksums(t)
	draw := rand.New(rand.NewPCG(1, 2))
	for _, path := range must.Get(filepath.Glob("testdata/*.h5"))(t) {
		whole := must.Get(os.ReadFile(path))(t)
		for range 400 {
			b := bytes.Clone(whole)
			for range 1 + draw.IntN(3) {
				b[draw.IntN(len(b))] ^= byte(1 << draw.IntN(8))
			}
			visit(t, b[:len(b)-draw.IntN(2)*draw.IntN(len(b))])
		}
	}
}
