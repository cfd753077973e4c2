package files

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/must"
)

func openNumbers(t *testing.T, path string) (j *Journal, numbers []int, refused int) {
	t.Helper()
	j, refused = must.Two(OpenJournal(path, Options{}, func(line []byte) error {
		var n int
		err := json.Unmarshal(line, &n)
		if err == nil {
			numbers = append(numbers, n)
		}
		return err
	}))(t)
	return j, numbers, refused
}

// A line torn by a kill is cut off before anything is appended.
func TestJournalRepairsATornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	must.Do(t, os.WriteFile(path, []byte("1\n\nnonsense\n2\n3"), 0o666))
	j, numbers, refused := openNumbers(t, path)
	if !slices.Equal(numbers, []int{1, 2}) || refused != 1 {
		t.Errorf("read %v, refused %d", numbers, refused)
	}
	must.Do(t, errors.Join(j.Add(4), j.Sync(), j.Close()))
	wantContent(t, path, "1\n\nnonsense\n2\n4\n")
	j, numbers, _ = openNumbers(t, path)
	defer j.Close()
	if !slices.Equal(numbers, []int{1, 2, 4}) {
		t.Errorf("read %v", numbers)
	}
	_, _, err := OpenJournal(path, Options{}, func([]byte) error { return nil })
	if lockedHere(t) {
		wantError(t, err, OpCreate, path, "in use by another run")
	}
}

// lockedHere reports whether this system keeps a second opener out.
func lockedHere(t *testing.T) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "l")
	a := must.Get(disk.Files().OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666))(t)
	defer a.Close()
	b := must.Get(disk.Files().OpenFile(path, os.O_RDWR, 0))(t)
	defer b.Close()
	return lock(a) == nil && lock(b) != nil
}

func TestJournalErrors(t *testing.T) {
	folder := t.TempDir()
	_, _, err := OpenJournal(folder, Options{}, nil)
	wantError(t, err, OpCreate, folder, "directory")
	if device, err := os.OpenFile("/dev/full", os.O_RDWR, 0); err == nil { // which can be read for ever
		device.Close()
		_, _, err := OpenJournal("/dev/full", Options{}, nil)
		wantError(t, err, OpCreate, "/dev/full", "not a regular file")
	}
	path := filepath.Join(folder, "j.jsonl")
	j, _, _ := openNumbers(t, path)
	wantError(t, j.Add(func() {}), OpWrite, path, "unsupported type")
	must.Do(t, j.Close())
	wantError(t, j.Add(1), OpWrite, path, "already closed")
	wantContent(t, path, "")
}

// What a kill leaves is removed, and nothing else: neither the temporary files of
// others nor files that only look alike.
func TestRemoveLeftovers(t *testing.T) {
	folder := t.TempDir()
	inner := filepath.Join(folder, "parts")
	must.Do(t, os.Mkdir(inner, 0o777))
	for _, name := range []string{"y.npy", ".y.npy.tmp-0123abcd", ".z.npy.tmp-0123abcd", ".y.npy.tmp-0123abcg", ".y.npy.tmp-0123abcd.txt", "parts/.a.npy.tmp-00000000", "parts/a.npy"} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), nil, 0o666))
	}
	o := create(t, filepath.Join(folder, "y.npy"))
	o.file.Close() // as if killed: the file stays
	must.Do(t, RemoveLeftovers([]string{filepath.Join(folder, "y.npy"), inner, filepath.Join(folder, "none", "x.npy")}))
	o.Discard()
	onlyFiles(t, folder, ".y.npy.tmp-0123abcd.txt", ".y.npy.tmp-0123abcg", ".z.npy.tmp-0123abcd", "parts", "y.npy")
	onlyFiles(t, inner, "a.npy")
}

func TestFileOf(t *testing.T) {
	for path, want := range map[string]string{"a/x.npz:y": "a/x.npz", "x.npy": "x.npy", "p.png": "p.png", "x.model": "x.model", "": ""} {
		if got := FileOf(path); got != want {
			t.Errorf("FileOf(%q) is %q, want %q", path, got, want)
		}
	}
}

// A line may be longer than the buffer, and torn all the same.
func TestJournalOfLongLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j, _, _ := openNumbers(t, path)
	texts := []string{strings.Repeat("a", 1<<16-3), strings.Repeat("b", 1<<16-2), "c", strings.Repeat("d", 300_000)}
	for _, text := range texts {
		must.Do(t, j.Add(text))
	}
	must.Do(t, j.Close())
	whole := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, append(slices.Clone(whole), strings.Repeat("e", 200_000)...), 0o666))
	var found []string
	j, refused, err := OpenJournal(path, Options{}, func(line []byte) error {
		var text string
		err := json.Unmarshal(line, &text)
		found = append(found, text)
		return err
	})
	if err != nil || refused != 0 || !slices.Equal(found, texts) {
		t.Errorf("%d lines, %d refused: %v", len(found), refused, err)
	}
	must.Do(t, j.Close())
	wantContent(t, path, string(whole))
}
