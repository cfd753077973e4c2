package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive, or a symbolic link.
type entry struct {
	name string // with slashes
	data []byte
	mode fs.FileMode
	link string // what it leads to
}

// folderEntries reads a folder, all names below a prefix.
func folderEntries(folder, prefix string) (list []entry, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		inside, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		e := entry{name: prefix + filepath.ToSlash(inside), mode: 0o644}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			e.link, err = os.Readlink(path)
		} else {
			if info.Mode()&0o100 != 0 {
				e.mode = 0o755
			}
			e.data, err = os.ReadFile(path)
		}
		list = append(list, e)
		return err
	})
	return list, err
}

// archive writes a .tar.gz or a .zip, of which nothing depends on when and where it is made: names
// in order, no owners, one time.
func archive(path string, entries []entry, at time.Time) error {
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return whole(path, func(w io.Writer) error {
		if strings.HasSuffix(path, ".zip") {
			return writeZip(w, entries, at)
		}
		return writeTar(w, entries, at)
	})
}

func writeTar(w io.Writer, entries []entry, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.data)), Mode: int64(e.mode), ModTime: at, Format: tar.FormatPAX}
		if e.link != "" {
			h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, e.link, 0o777
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func writeZip(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// whole writes a file that is there whole or not at all.
func whole(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".release-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is no longer there where all went well
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// checksums writes SHA256SUMS of all other files of a folder, for sha256sum -c.
func checksums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, e := range entries {
		if e.IsDir() || e.Name() == "SHA256SUMS" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return whole(filepath.Join(folder, "SHA256SUMS"), func(w io.Writer) error {
		_, err := io.WriteString(w, lines.String())
		return err
	})
}

// source packs the files of the commit, with the modules of others under vendor, so that it is
// built without a network.
func (m *making) source() error {
	name := "orthant-" + m.version + "-source"
	folder := filepath.Join(m.scratch, name)
	packed := folder + ".tar"
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	if _, err := output(".", nil, "git", "archive", "--format=tar", "-o", packed, "HEAD"); err != nil {
		return err
	}
	if _, err := output(folder, nil, "tar", "-xf", packed); err != nil {
		return err
	}
	if _, err := output(folder, nil, goCommand(), "mod", "vendor"); err != nil {
		return err
	}
	entries, err := folderEntries(folder, name+"/")
	if err != nil {
		return err
	}
	if err := archive(filepath.Join(m.out, name+".tar.gz"), entries, m.at); err != nil {
		return err
	}
	env := []string{"GOPROXY=off", "GOFLAGS=-mod=vendor -buildvcs=false", "GOMODCACHE=" + filepath.Join(m.scratch, "empty")}
	if _, err := output(folder, env, "make", "-s", "build", "VERSION="+m.version); err != nil {
		return err
	}
	if _, err := output(folder, nil, filepath.Join(folder, "bin", "orthant"), "version"); err != nil {
		return err
	}
	m.log("%s: built without a network, and run", name)
	return nil
}
