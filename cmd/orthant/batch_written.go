package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"

	"github.com/orthant-go/orthant/internal/disk"
)

// written is a file as a job left it.
type written struct {
	Path  string `json:"path"`   // within the folder of the batch, or absolute
	Bytes int64  `json:"bytes"`  // −1: it could not be read again
	Sum   string `json:"sha256"` // of what it holds
}

// writtenBy describes the files that a job has put in their places. Those within the
// folder of the batch are named from there, so that the folder may be moved.
func writtenBy(from outputs, folder string) []written {
	list := []written{}
	for _, o := range from {
		path := o.File()
		if path == "" {
			continue
		}
		w := written{Path: path, Bytes: -1}
		if within, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(within) {
			w.Path = filepath.ToSlash(within)
		}
		if size, sum, err := checksum(path); err == nil {
			w.Bytes, w.Sum = size, sum
		}
		list = append(list, w)
	}
	return list
}

// stands tells whether the file is there and as it was. Its size is looked at first,
// as that is known without reading it.
func (w written) stands(folder string) bool {
	path := filepath.FromSlash(w.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	if info, err := disk.Files().Stat(path); err != nil || info.Size() != w.Bytes {
		return false
	}
	_, sum, err := checksum(path)
	return err == nil && sum == w.Sum
}

// checksum reads a file and returns its size and the SHA-256 sum of its bytes.
func checksum(path string) (size int64, sum string, err error) {
	f, _, err := disk.OpenRegular(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	hash := sha256.New()
	if size, err = io.Copy(hash, f); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}
