package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// openVariable opens a .mat file at the numbers of the array to read: the named
// one, or the only one.
func openVariable(loc location, o Options) (*matFile, matVariableHeader, *matElements, error) {
	var h matVariableHeader
	m, err := openMAT(loc, o)
	if err != nil {
		return nil, h, nil, err
	}
	fail := func(err error) (*matFile, matVariableHeader, *matElements, error) {
		m.Close()
		return nil, h, nil, err
	}
	all, err := m.list(o.budget())
	if err != nil {
		return fail(err)
	}
	if h, err = pickVariable(all, loc.array); err != nil {
		return fail(err)
	}
	if m.file != nil {
		if _, err := m.file.Seek(h.start, io.SeekStart); err != nil {
			return fail(err)
		}
		m.at = h.start
	} else { // a packed file cannot go back: read it again
		m.Close()
		if m, err = openMAT(loc, o); err != nil {
			return nil, h, nil, err
		}
		if err := m.skip(h.start); err != nil {
			return fail(err)
		}
	}
	h, e, _, err := m.next()
	if err != nil {
		return fail(err)
	}
	return m, h, e, nil
}

// variableBytes is what the header of a variable takes in memory, but for its name.
const variableBytes = 128

// list reads the headers of all variables.
func (m *matFile) list(b budget) ([]matVariableHeader, error) {
	var all []matVariableHeader
	names := 0
	for {
		h, _, end, err := m.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err == nil {
			err = m.skip(end)
		}
		if err != nil {
			return nil, err
		}
		if h.name != "" { // MATLAB keeps the insides of objects in one without a name
			all = append(all, h)
			names += len(h.name)
		}
		// Twice, as the list moves when it grows.
		if err := b.check(fmt.Sprintf("the list of more than %d variables", len(all)-1), 0, float64(2*variableBytes*len(all)+names)); err != nil {
			return nil, err
		}
	}
}

// pickVariable finds the array to read.
func pickVariable(all []matVariableHeader, name string) (matVariableHeader, error) {
	var names []string
	var arrays []matVariableHeader
	for _, h := range all {
		if h.obstacle() == "" {
			arrays = append(arrays, h)
			names = append(names, strings.Trim(excerpt([]byte(h.name)), `"`))
		}
	}
	at := slices.IndexFunc(all, func(h matVariableHeader) bool { return h.name == name })
	shown := func(name string) string { return excerpt([]byte(name)) }
	const most = 20
	if len(names) > most {
		names = append(names[:most], "…")
	}
	switch {
	case name != "" && at >= 0 && all[at].obstacle() != "":
		return all[at], fmt.Errorf("variable %s %s", shown(name), all[at].obstacle())
	case name != "" && at >= 0:
		return all[at], nil
	case len(all) == 0:
		return matVariableHeader{}, errors.New("the file holds no variable")
	case len(arrays) == 0:
		return all[0], fmt.Errorf("the file holds no matrix of numbers: variable %s %s", shown(all[0].name), all[0].obstacle())
	case name != "":
		return arrays[0], fmt.Errorf("the file has no array %s; it has %s", shown(name), strings.Join(names, ", "))
	case len(arrays) > 1:
		return arrays[0], fmt.Errorf("the file holds %d arrays (%s): name one, as in file.mat:%s", len(arrays), strings.Join(names, ", "), names[0])
	}
	return arrays[0], nil
}

// ofVariable names the variable in which something was wrong.
func ofVariable(h matVariableHeader, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("array %s: %w", excerpt([]byte(h.name)), err)
}

// readMAT reads an array, sparse where the file has it so.
func readMAT(loc location, o Options) (matrix, error) {
	m, h, e, err := openVariable(loc, o)
	if err != nil {
		return matrix{}, err
	}
	defer m.Close()
	var v matrix
	if h.class == classSparse {
		v.sparse, err = m.readSparse(h, e, o.budget())
	} else {
		v.dense, err = m.readDense(h, e, o.budget())
	}
	if err == nil {
		err = m.finish(h, e)
	}
	if err != nil {
		return matrix{}, ofVariable(h, err)
	}
	return v, nil
}

// readMATLabels reads an array as whole numbers.
func readMATLabels(loc location, o Options) ([]int64, error) {
	m, h, e, err := openVariable(loc, o)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if h.class == classSparse {
		return nil, ofVariable(h, errors.New("is sparse, and labels are one number for each sample: save it as full"))
	}
	s, a, err := m.beginArray(h, e)
	if err != nil {
		return nil, ofVariable(h, err)
	}
	v, err := readArrayLabels(s, a, o.budget())
	if err == nil {
		err = m.finish(h, e)
	}
	return v, ofVariable(h, err)
}

// beginArray begins the numbers of a dense variable: an array in Fortran order.
func (m *matFile) beginArray(h matVariableHeader, e *matElements) (source, npyHeader, error) {
	a := npyHeader{fortran: true, shape: h.dims, rows: h.dims[0], cols: h.dims[1]}
	if a.rows == 0 || a.cols == 0 {
		return source{}, a, emptyMatrix(a.rows, a.cols)
	}
	s, t, err := e.beginNumbers(m.swapped())
	if err != nil {
		return source{}, a, err
	}
	a.dtype = t
	if size := int64(a.rows) * int64(a.cols) * int64(t.size); size != s.size {
		return source{}, a, fmt.Errorf("%d bytes where %d × %d numbers take %d: the file is damaged", s.size, a.rows, a.cols, size)
	}
	if !e.sized { // the length is only a claim
		s.size = -1
	}
	s.window = m.window
	return s, a, nil
}

// beginNumbers begins an element of numbers, of which the size is what its tag claims.
func (e *matElements) beginNumbers(swapped bool) (source, dtype, error) {
	kind, size, small, err := e.readTag()
	if err != nil {
		return source{}, dtype{}, err
	}
	t, ok := matTypes[kind]
	if !ok {
		return source{}, dtype{}, fmt.Errorf("numbers of the unknown type %d: the file is damaged", kind)
	}
	t.swap = swapped && t.size > 1
	if small != nil {
		return source{Reader: bytes.NewReader(small), size: size}, t, nil
	}
	e.pad = -size & 7
	return source{Reader: io.LimitReader(e, size), size: size}, t, nil
}

func (m *matFile) readDense(h matVariableHeader, e *matElements, b budget) (*mat.Dense, error) {
	s, a, err := m.beginArray(h, e)
	if err != nil {
		return nil, err
	}
	data, err := readArray[float64](s, a, b, 0)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(a.rows, a.cols, data), nil
}

// finish reads a packed variable to its end, where its checksum is.
func (m *matFile) finish(h matVariableHeader, e *matElements) error {
	if !h.packed {
		return nil
	}
	if _, err := io.Copy(io.Discard, e); err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(e.r, 8)); err != nil || n > 0 {
		return errors.Join(err, trailingBytes(n))
	}
	return nil
}

func trailingBytes(n int64) error {
	if n == 0 {
		return nil
	}
	return errors.New("bytes follow the variable that it has no place for: the file is damaged")
}
