package files

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

func fromZip[T any](r io.ReaderAt, size int64, name string, read func(source) (T, error)) (T, error) {
	var zero T
	entry, err := findEntry(r, size, name)
	if err != nil {
		return zero, err
	}
	s, err := openEntry(entry, size)
	if err == nil {
		defer s.Close()
		var v T
		if v, err = read(s); err == nil {
			return v, nil
		}
	}
	return zero, entryError(entry, err)
}

func findEntry(r io.ReaderAt, size int64, name string) (*zip.File, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, notArchive(r, size, err)
	}
	return pick(archive.File, name)
}

// entryError names the array in which something was wrong.
func entryError(entry *zip.File, err error) error {
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		err = fmt.Errorf("its compression (method %d) is not supported: write it with numpy.savez or savez_compressed", entry.Method)
	case errors.Is(err, zip.ErrChecksum):
		err = errors.New("its checksum is wrong: the file is damaged")
	}
	return fmt.Errorf("array %s: %w", excerpt([]byte(arrayName(entry))), err)
}

// notArchive explains why a file is no zip archive.
func notArchive(r io.ReaderAt, size int64, err error) error {
	if size == 0 {
		return errors.New("the file is empty")
	}
	var start [6]byte
	if n, _ := r.ReadAt(start[:], 0); string(start[:n]) == npyMagic {
		return errors.New("not an .npz archive but a single array: name it .npy")
	}
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("not an .npz (zip) archive, or a truncated one")
	}
	return err
}

// arrayName is an entry's name without the .npy that NumPy adds.
func arrayName(f *zip.File) string { return strings.TrimSuffix(f.Name, ".npy") }

// pick finds the entry to read.
func pick(entries []*zip.File, name string) (*zip.File, error) {
	var arrays []*zip.File
	for _, f := range entries {
		if strings.HasSuffix(f.Name, ".npy") {
			arrays = append(arrays, f)
		}
	}
	if len(arrays) == 0 {
		return nil, errors.New("the archive holds no array")
	}
	if name == "" {
		if len(arrays) > 1 {
			return nil, fmt.Errorf("the archive holds %d arrays (%s): %s", len(arrays), listed(arrays), choice(arrays))
		}
		return arrays[0], nil
	}
	at := slices.IndexFunc(arrays, func(f *zip.File) bool { return arrayName(f) == name })
	if at < 0 {
		return nil, fmt.Errorf("the archive has no array %s; it has %s", excerpt([]byte(name)), listed(arrays))
	}
	return arrays[at], nil
}

// listed names the arrays of an archive.
func listed(arrays []*zip.File) string {
	const most = 20
	var names []string
	for i, f := range arrays {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, strings.Trim(excerpt([]byte(arrayName(f))), `"`))
	}
	return strings.Join(names, ", ")
}

// choice is the remedy for an archive of several arrays. Those of
// scipy.sparse.save_npz are the parts of one matrix.
func choice(arrays []*zip.File) string {
	parts := 0
	for _, f := range arrays {
		switch arrayName(f) {
		case "indices", "indptr", "data":
			parts++
		}
	}
	if parts == 3 {
		return "it seems to be a sparse matrix of SciPy without its format: write it with scipy.sparse.save_npz"
	}
	return "name one, as in file.npz:" + strings.Trim(excerpt([]byte(arrayName(arrays[0]))), `"`)
}

// openEntry opens an entry. Its length is known in advance only where the bytes
// of the archive can vouch for it.
func openEntry(f *zip.File, archive int64) (source, error) {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return source{}, errors.New("it is encrypted")
	}
	s := source{size: -1}
	packed, claimed := f.CompressedSize64, f.UncompressedSize64
	if packed <= uint64(archive) {
		if claimed/plausibleRatio <= packed {
			s.size = int64(claimed)
		} else {
			s.most = int64(min(claimed, uint64(product(int64(packed), deflateRatio))))
		}
	}
	r, err := f.Open()
	if err != nil {
		return source{}, err
	}
	s.Reader, s.close = r, r.Close
	return s, nil
}
