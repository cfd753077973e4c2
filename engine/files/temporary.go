package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/orthant-go/orthant/internal/disk"
)

// pending holds the outputs that have a temporary file, by target, and the targets
// beside which leftovers of other processes were looked for.
var pending = struct {
	sync.Mutex
	outputs map[string]*Output
	swept   map[string]bool
}{outputs: map[string]*Output{}, swept: map[string]bool{}}

// open makes the temporary file, after a look at what is at the target.
func (o *Output) open() error {
	if os.IsPathSeparator(o.loc.file[len(o.loc.file)-1]) {
		return errors.New("the path is that of a folder")
	}
	info, err := disk.Files().Stat(o.loc.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("a folder of that name is in the way")
	default:
		// A file that must not be written must not be replaced either.
		f, err := disk.Files().OpenFile(o.loc.file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			o.file = f
			return nil
		}
		f.Close()
	}
	if o.target, err = Resolve(o.loc.file); err != nil {
		return err
	}
	sweepBeside(o.target)
	return o.openTemporary(info)
}

// openTemporary makes the temporary file, with the permissions of the file that
// it is to replace, if there is one, or those of any new file.
func (o *Output) openTemporary(old fs.FileInfo) error {
	pending.Lock()
	defer pending.Unlock()
	if pending.outputs[o.target] != nil {
		return errors.New("another output is being written to the same file: give each its own")
	}
	folder, name := filepath.Split(o.target)
	for range 1000 {
		temp := filepath.Join(folder, fmt.Sprintf(".%s.tmp-%08x", shortened(name), rand.Uint32()))
		f, err := disk.Files().OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("there is no folder %s: make it first", o.folder())
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("no file can be made in the folder %s: %w", o.folder(), fs.ErrPermission)
		case err != nil:
			return err
		}
		mine, err := own(f, temp)
		if err == nil && mine && old != nil {
			err = f.Chmod(old.Mode().Perm())
		}
		if err != nil {
			f.Close()
			removeTemporary(temp, o.target)
			return err
		}
		if !mine {
			f.Close()
			continue
		}
		o.file, o.temp = f, temp
		pending.outputs[o.target] = o
		return nil
	}
	return errNoName
}

// removeTemporary removes the temporary file of a target. Where that fails, the next
// output of the target tries again. The caller holds the lock.
func removeTemporary(temp, target string) {
	if err := disk.Files().Remove(temp); err != nil {
		delete(pending.swept, target)
	}
}

// folder names the folder of the target for a message, as the user gave it unless a
// link leads elsewhere.
func (o *Output) folder() string {
	given := filepath.Dir(o.loc.file)
	if resolved, err := Resolve(given); err == nil && resolved == filepath.Dir(o.target) {
		return given
	}
	return filepath.Dir(o.target)
}

var errNoName = errors.New("no name is free for a temporary file")

// DiscardAll gives up every output that has a temporary file, for a handler of
// interrupts that is about to end the program. It may run beside any other
// function: an output is either committed before it or gone after it.
func DiscardAll() {
	pending.Lock()
	defer pending.Unlock()
	for _, o := range pending.outputs {
		o.abandon()
	}
}

// shortened leaves room in a file name for what makes it a temporary one.
func shortened(name string) string { return name[:min(len(name), 200)] }
