package files

import (
	"bufio"
	"io"
	"os"
)

// spool is a temporary file for what cannot be put in its place yet. Where the
// system allows, it loses its name at once, so that nothing is left of it even
// after a kill.
type spool struct {
	file *os.File
	*bufio.Writer
	named bool
}

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "orthant-rows-")
	if err != nil {
		return nil, err
	}
	s := &spool{file: f, Writer: bufio.NewWriterSize(f, 1<<16)}
	s.named = os.Remove(f.Name()) != nil
	return s, nil
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
		os.Remove(name)
	}
	s.file = nil
}
