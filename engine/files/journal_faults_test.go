package files

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
	"github.com/orthant-go/orthant/internal/must"
)

// Whichever call fails, what Add took is there and nothing else is, and the journal
// can be opened and added to afterwards.
func TestJournalWithFaults(t *testing.T) {
	for _, how := range []faults.How{faults.Passing, faults.Lasting} {
		path := filepath.Join(t.TempDir(), "j.jsonl")
		var added []int
		calls := faults.Every(t, how, func() {
			must.Do(t, os.RemoveAll(path))
			added = nil
			j, _, err := OpenJournal(path, Options{}, nil)
			if err != nil {
				return
			}
			for n := 100; n < 105; n++ {
				if j.Add(n) == nil {
					added = append(added, n)
				}
			}
			_ = j.Sync()
			_ = j.Close()
		}, func(call string) {
			if text, err := os.ReadFile(path); how == faults.Passing && err == nil && len(text) != 4*len(added) {
				t.Errorf("%v were added, the journal holds %q", added, text)
			}
			j, numbers, refused := openNumbers(t, path)
			if !slices.Equal(numbers, added) || refused > 0 {
				t.Errorf("%v were added, the journal holds %v and refuses %d", added, numbers, refused)
			}
			if err := j.Add(200); err != nil {
				t.Error(err)
			}
			if err := j.Close(); err != nil {
				t.Error(err)
			}
			j, numbers, refused = openNumbers(t, path)
			defer j.Close()
			if !slices.Equal(numbers, append(added, 200)) || refused > 0 {
				t.Errorf("after another line it holds %v and refuses %d", numbers, refused)
			}
			if how == faults.Passing && strings.Contains(call, "write") && len(added) != 4 {
				t.Errorf("one write failed and %v were added", added)
			}
		})
		if len(calls) < 8 || len(added) != 5 {
			t.Errorf("%d calls, in the end %v", len(calls), added)
		}
	}
}

// A torn line that cannot be cut off at once is cut off before the next is added.
func TestJournalMendsBeforeItAdds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	j, _, _ := openNumbers(t, path)
	must.Do(t, j.Add(100))
	must.Do(t, j.Close())
	// Open, stat, lock, read, read, and then the write and all that follows.
	restore := disk.Swap(faults.Nth(6, faults.Lasting))
	j, _ = must.Two(OpenJournal(path, Options{}, func([]byte) error { return nil }))(t)
	wantError(t, j.Add(101), OpWrite, path, "no space left on device")
	wantError(t, j.Add(102), OpWrite, path, "cutting a torn line off: no space left on device")
	wantContent(t, path, "100\n10")
	restore()
	j.file.Close()
	j, numbers, _ := openNumbers(t, path)
	defer j.Close()
	if err := j.Add(103); err != nil || !slices.Equal(numbers, []int{100}) {
		t.Errorf("%v, %v", numbers, err)
	}
	wantContent(t, path, "100\n103\n")
}

// A file system without locks is no other run.
func TestJournalWithoutLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	inUse := lockedTwice(t)
	for err, want := range map[error]string{
		syscall.ENOLCK: "its file system has no locks (no locks available), by which two runs would keep out of each other's way; write to another file system",
		syscall.ENOSYS: "its file system has no locks (function not implemented)",
		inUse:          "in use by another run (" + inUse.Error() + "); wait for it",
		syscall.EIO:    "it could not be locked: input/output error",
	} {
		restore := disk.Swap(lockless{disk.Files(), err})
		_, _, got := OpenJournal(path, Options{}, func(line []byte) error { return json.Unmarshal(line, new(int)) })
		restore()
		wantError(t, got, OpCreate, path, want)
	}
}

// lockedTwice is what the system says of a lock that another open file has.
func lockedTwice(t *testing.T) error {
	path := filepath.Join(t.TempDir(), "locked")
	var errs [2]error
	for i := range errs {
		f := must.Get(disk.Files().OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666))(t)
		t.Cleanup(func() { f.Close() })
		errs[i] = f.Lock()
	}
	if errs[0] != nil || errs[1] == nil {
		t.Skip("no locks here:", errs)
	}
	return errs[1]
}

// lockless is a file system whose locks fail.
type lockless struct {
	disk.FileSystem
	err error
}

type locklessFile struct {
	disk.File
	err error
}

func (l lockless) OpenFile(name string, flag int, mode os.FileMode) (disk.File, error) {
	f, err := l.FileSystem.OpenFile(name, flag, mode)
	return locklessFile{f, l.err}, err
}

func (l locklessFile) Lock() error { return l.err }
