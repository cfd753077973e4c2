package powerloss

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/must"
)

// found lists what the states of a recording hold under a name, by the marks before them.
func found(t *testing.T, r *Recording, name string) map[string][]string {
	t.Helper()
	list := map[string][]string{}
	for s := range r.States() {
		s.Put(t)
		text, err := os.ReadFile(filepath.Join(r.folder, name))
		if err != nil {
			text = []byte("none")
		}
		marks := strings.Join(s.Marks, " ")
		if content := strings.ReplaceAll(string(text), "\x00", "0"); !slices.Contains(list[marks], content) {
			list[marks] = append(list[marks], content)
		}
	}
	for _, texts := range list {
		slices.Sort(texts)
	}
	return list
}

// wrote writes text to a file, and syncs it on request.
func wrote(t *testing.T, path, text string, syncs bool) {
	t.Helper()
	f, err := disk.Files().OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err == nil && syncs {
		err = f.Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// What was not brought to the disk may be lost in every way; what was may not.
func TestStates(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(folder string, mark func(string))
		want map[string][]string
	}{
		"nothing synced": {func(folder string, mark func(string)) {
			wrote(t, filepath.Join(folder, "x"), "12345678", false)
			mark("done")
		}, map[string][]string{"": {"", "00000000", "00005678", "1234", "12345678", "none"}, "done": {"", "00000000", "00005678", "1234", "12345678", "none"}}},
		"renamed without a sync": {func(folder string, mark func(string)) {
			wrote(t, filepath.Join(folder, "y"), "12", false)
			rename(t, folder)
			mark("done")
		}, map[string][]string{"": {"", "00", "02", "1", "12", "old"}, "done": {"", "00", "02", "1", "12", "old"}}},
		"the folder not synced": {func(folder string, mark func(string)) {
			wrote(t, filepath.Join(folder, "y"), "12", true)
			rename(t, folder)
			mark("done")
		}, map[string][]string{"": {"12", "old"}, "done": {"12", "old"}}},
		"all synced": {func(folder string, mark func(string)) {
			wrote(t, filepath.Join(folder, "y"), "12", true)
			rename(t, folder)
			must.Do(t, disk.SyncFolder(folder))
			mark("done")
		}, map[string][]string{"": {"12", "old"}, "done": {"12"}}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "x")
			if slices.Contains(c.want[""], "old") {
				must.Do(t, os.WriteFile(path, []byte("old"), 0o666))
			}
			r := Record(t, folder, func(mark func(string)) { c.run(folder, mark) })
			if got := found(t, r, "x"); !maps.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

func rename(t *testing.T, folder string) {
	t.Helper()
	must.Do(t, disk.Files().Rename(filepath.Join(folder, "y"), filepath.Join(folder, "x")))
}

// Appended and cut off, written again in its midst, made in a folder, removed: after all
// calls and with no loss everything is as the program left it.
func TestReplayIsWhatHappened(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "old"), []byte("gone"), 0o666))
	r := Record(t, folder, func(func(string)) {
		must.Do(t, disk.MakeFolders(filepath.Join(folder, "a", "b")))
		wrote(t, filepath.Join(folder, "a", "b", "x"), "abcdef", true)
		f := must.Get(disk.Files().OpenFile(filepath.Join(folder, "a", "b", "x"), os.O_RDWR|os.O_APPEND, 0))(t)
		_ = f.Truncate(4)
		_, _ = f.Write([]byte("gh"))
		f.Close()
		f = must.Get(disk.Files().OpenFile(filepath.Join(folder, "a", "b", "x"), os.O_RDWR, 0))(t)
		_, _ = f.WriteAt([]byte("BC"), 1)
		f.Close()
		_ = disk.Files().Remove(filepath.Join(folder, "old"))
	})
	tree := func() string {
		var b strings.Builder
		_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			text, _ := os.ReadFile(path)
			name, _ := r.within(path)
			fmt.Fprintf(&b, "%s %q; ", name, text)
			return err
		})
		return b.String()
	}
	want := tree()
	if want != `. ""; a ""; a/b ""; a/b/x "aBCdgh"; ` {
		t.Fatal(want)
	}
	m := r.replay(r.calls)
	kept := slices.Repeat([]bool{true}, len(m.pending))
	State{recording: r, files: m.files(make([]bool, len(kept)), all)}.Put(t)
	if got := tree(); got != `. ""; a ""; a/b ""; old "gone"; ` {
		t.Errorf("all that may be lost is lost: %s", got)
	}
	State{recording: r, files: m.files(kept, nothing)}.Put(t)
	if got := tree(); got != want {
		t.Errorf("replayed %s, want %s", got, want)
	}
}
