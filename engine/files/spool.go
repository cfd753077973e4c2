package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/orthant-go/orthant/internal/disk"
)

// spool is a temporary file for what cannot be put in its place yet. Where the
// system allows, it loses its name at once, so that nothing is left of it even
// after a kill.
type spool struct {
	file disk.File
	*bufio.Writer
	named bool
}

func newSpool() (*spool, error) {
	f, err := openSpool()
	if err != nil {
		return nil, err
	}
	s := &spool{file: f, Writer: bufio.NewWriterSize(f, 1<<16)}
	s.named = disk.Files().Remove(f.Name()) != nil
	return s, nil
}

// openSpool makes a file of a name of its own, which nobody else may read.
func openSpool() (disk.File, error) {
	for range 1000 {
		name := filepath.Join(os.TempDir(), fmt.Sprintf("orthant-rows-%08x", rand.Uint32()))
		f, err := disk.Files().OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, errNoName
}

// rewind returns what was written, from the beginning.
func (s *spool) rewind() (io.Reader, error) {
	if err := s.Flush(); err != nil {
		return nil, err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(s.file, 1<<16), nil
}

// remove closes the file. A second time it does nothing.
func (s *spool) remove() {
	if s.file == nil {
		return
	}
	name := s.file.Name()
	s.file.Close()
	if s.named {
		disk.Files().Remove(name)
	}
	s.file = nil
}
