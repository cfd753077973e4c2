package main

import (
	"strings"
	"sync"
	"time"

	"github.com/orthant-go/orthant/internal/disk"
)

// sharedFiles are the graphs, affinities and distances that several jobs of a batch name.
// Each is read once, and kept until the last of these jobs has ended. What is read is not
// changed by any job.
type sharedFiles struct {
	mu   sync.Mutex
	kept map[string]*sharedFile
}

// sharedFile is one of them.
type sharedFile struct {
	users int
	mu    sync.Mutex // held while it is read
	value any        // nil: not read yet
	size  int64      // of the file that was read, and its time: another one is read again
	time  time.Time
}

// expect counts a job among the users of the files that it names.
func (s *sharedFiles) expect(j *job) { s.count(j, 1) }

// release is expect taken back.
func (s *sharedFiles) release(j *job) { s.count(j, -1) }

func (s *sharedFiles) count(j *job, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range structurePaths(j) {
		if s.kept[path] == nil {
			s.kept[path] = &sharedFile{}
		}
		if s.kept[path].users += by; s.kept[path].users <= 0 {
			delete(s.kept, path)
		}
	}
}

// structurePaths are the files that a job gives in place of a search, as its command reads
// them.
func structurePaths(j *job) []string {
	var paths []string
	for _, arg := range j.args {
		for _, flag := range structureFlags {
			if path, is := strings.CutPrefix(arg, "--"+flag+"="); is {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// sharing reads a file, or takes what another job has read of it. An error is not kept: a
// job that has more memory may read what this one could not.
func sharing[T any](s *sharedFiles, path string, read func() (T, error)) (T, error) {
	if s == nil || path == "-" {
		return read()
	}
	s.mu.Lock()
	f := s.kept[path]
	s.mu.Unlock()
	if f == nil {
		return read()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := disk.Files().Stat(path)
	if err != nil {
		return read() // which says what is wrong
	}
	if v, is := f.value.(T); is && f.size == info.Size() && f.time.Equal(info.ModTime()) {
		return v, nil
	}
	v, err := read()
	if err == nil {
		f.value, f.size, f.time = v, info.Size(), info.ModTime()
	}
	return v, err
}
