package powerloss

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Put makes the folder so. Files that are so already keep their time of change.
func (s State) Put(t *testing.T) {
	t.Helper()
	var extra []string
	err := filepath.WalkDir(s.recording.folder, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name, _ := s.recording.within(path); !has(s.files, name) {
			extra = append(extra, path)
		}
		return nil
	})
	for _, path := range extra {
		if err == nil {
			err = os.RemoveAll(path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		path, text := filepath.Join(s.recording.folder, name), s.files[name]
		if text == nil {
			if e := os.MkdirAll(path, 0o777); err == nil {
				err = e
			}
			continue
		}
		if held, e := os.ReadFile(path); e != nil || !bytes.Equal(held, text) {
			if e := os.WriteFile(path, text, 0o666); err == nil {
				err = e
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func has(files map[string][]byte, name string) bool {
	_, found := files[name]
	return found
}
