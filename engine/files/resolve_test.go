package files

import (
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// link makes a symbolic link, where there are some: wine says that it has made one, and has not.
func link(t *testing.T, target, path string) {
	t.Helper()
	err := os.Symlink(target, path)
	if info, other := os.Lstat(path); err != nil || other != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Skip("no symbolic links here:", err)
	}
}

// A link is followed whether its target exists or not.
func TestOutputFollowsDanglingLinks(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"here", "there"} {
		must.Do(t, os.Mkdir(filepath.Join(folder, name), 0o777))
	}
	path := filepath.Join(folder, "here", "y.csv")
	link(t, "second.csv", path)
	link(t, filepath.Join("..", "there", "z.csv"), filepath.Join(folder, "here", "second.csv"))
	target := filepath.Join(folder, "there", "z.csv")
	for _, old := range []string{"", "old"} {
		if old != "" {
			must.Do(t, os.WriteFile(target, []byte(old), 0o666))
		}
		save(t, path, mat.NewDense(1, 1, []float64{3}), Options{})
		wantContent(t, target, "3\n")
		for _, name := range []string{"y.csv", "second.csv"} {
			if info, err := os.Lstat(filepath.Join(folder, "here", name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link %s has become %v (error %v)", name, info, err)
			}
		}
		onlyFiles(t, filepath.Join(folder, "here"), "second.csv", "y.csv")
		onlyFiles(t, filepath.Join(folder, "there"), "z.csv")
		must.Do(t, os.Remove(target))
	}
	lost := filepath.Join(folder, "here", "lost.csv")
	link(t, filepath.Join(folder, "nowhere", "z.csv"), lost)
	_, err := Create(lost, nil)
	wantError(t, err, OpCreate, lost, "there is no folder "+filepath.Join(folder, "nowhere"))
	round := filepath.Join(folder, "here", "round.csv")
	link(t, "round.csv", round)
	_, err = Create(round, nil)
	wantError(t, err, OpCreate, round, "too many levels of symbolic links")
}

func TestResolve(t *testing.T) {
	folder := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	t.Chdir(folder)
	must.Do(t, os.MkdirAll("a/b", 0o777))
	link(t, "a/b", "l")
	link(t, folder+"/l/../new", "a/dangling") // not cleaned
	for path, want := range map[string]string{
		"x": "x", "./x": "x", "none/more/x": "none/more/x", "none/../x": "x", "l/x": "a/b/x",
		"l/../x":     "a/x", // and not x: the parent is that of the link's target
		"a/dangling": "a/new", "l/../dangling/y": "a/new/y", "l": "a/b", "": "", "..": "..",
	} {
		if got, err := Resolve(path); err != nil || got != filepath.Join(folder, want) {
			t.Errorf("%q is %q (%v), want %q", path, got, err, want)
		}
		if got, err := Resolve(folder + "/" + path); err != nil || got != filepath.Join(folder, want) {
			t.Errorf("%q from the root is %q (%v), want %q", path, got, err, want)
		}
	}
}

// A Resolver answers as Resolve does, whatever it has met before.
func TestResolver(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a", "b"} {
		must.Do(t, os.Mkdir(filepath.Join(folder, name), 0o777))
	}
	link(t, filepath.Join(folder, "b"), filepath.Join(folder, "a", "to-b"))
	link(t, "y.npy", filepath.Join(folder, "b", "linked.npy"))
	link(t, "round.npy", filepath.Join(folder, "b", "round.npy"))
	t.Chdir(folder)
	var r Resolver
	for _, path := range []string{"a/x.npy", "a/to-b/x.npy", "b/x.npy", "b/linked.npy", "a/to-b/linked.npy", "a/to-b/../x.npy", "a/to-b/..", "a/to-b", "a/to-b/", "new/x.npy", "x.npy", ".", "", "b/round.npy", folder + "/a/to-b/z.npy"} {
		for range 2 {
			got, gotErr := r.Resolve(path)
			want, wantErr := Resolve(path)
			if got != want || (gotErr == nil) != (wantErr == nil) {
				t.Errorf("%q: %q, %v; want %q, %v", path, got, gotErr, want, wantErr)
			}
		}
	}
}

func TestResolveRefusesCircles(t *testing.T) {
	t.Chdir(t.TempDir())
	link(t, "b", "a")
	link(t, "a", "b")
	if got, err := Resolve("a/x"); err == nil || err.Error() != "the path leads through too many symbolic links (a circle?)" {
		t.Errorf("%q, %v", got, err)
	}
}
