//go:build unix

package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
	"github.com/orthant-go/orthant/internal/must"
)

// Only a regular file is opened: a named pipe is refused at once, without a writer.
func TestOpenRegular(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x")
	if _, _, err := disk.OpenRegular(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	must.Do(t, os.WriteFile(path, []byte("text"), 0o666))
	f, info, err := disk.OpenRegular(path)
	if err != nil || info.Size() != 4 {
		t.Fatalf("%v, %v", info, err)
	}
	f.Close()
	pipe := filepath.Join(folder, "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o666))
	for _, name := range []string{folder, pipe, os.DevNull} {
		must.Refuse(t, "not a regular file")(disk.OpenRegular(name))
	}
	for n := 1; n <= 4; n++ {
		restore := disk.Swap(faults.Nth(n, faults.Passing))
		f, _, err := disk.OpenRegular(path)
		restore()
		if err == nil {
			f.Close()
		}
		if calls := 3; (err == nil) != (n > calls) {
			t.Errorf("with call %d failing: %v", n, err)
		}
	}
}
