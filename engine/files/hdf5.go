package files

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/hdf5"
)

// hdf5Format is HDF5: arrays by their paths, matrices of AnnData and 10x, and variables of MATLAB 7.3.
var hdf5Format = Format{
	Name: "HDF5", Extensions: []string{".h5", ".h5ad", ".hdf5", ".hdf", ".he5"},
	holds: namedArrays, compressed: true,
	checkName: func(string) error {
		return errors.New("of HDF5 files only .h5ad is written, by embed and cluster, as a copy of their input: write .npy or .csv")
	},
	extent: hdf5Extent,
	read:   readHDF5, readLabels: readHDF5Labels, openRows: openHDF5Rows,
	openArray: openHDF5Array, names: hdf5Names, texts: readHDF5Texts,
	write: writeCoordinates, writeIntegers: writeClasses,
	writeRows: func(*RowWriter) error { return errors.New("an .h5ad takes a matrix whole: write it by WriteMatrix") },
}

// hdf5File is an open file, and what is read of it.
type hdf5File struct {
	*hdf5.File
	file disk.File
	root *hdf5.Object

	name   string // of the file, for messages
	matlab bool   // a .mat file, whose arrays are stored by columns
}

func openHDF5(loc location) (*hdf5File, error) {
	file, size, err := openRegular(loc.file, "an HDF5 file")
	if err != nil {
		return nil, err
	}
	ext, _ := extension(loc.file)
	f := &hdf5File{file: file, name: loc.file, matlab: ext == ".mat"}
	switch {
	case size == 0:
		err = errors.New("the file is empty")
	default:
		f.File, err = hdf5.Open(file, size)
	}
	if err == nil {
		f.root, err = f.Root()
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return f, nil
}

func (f *hdf5File) Close() error { return f.file.Close() }

// storedArray is a matrix in a file: an array, or compressed rows or columns.
type storedArray struct {
	path       string // from the root, without a slash before it
	dense      *hdf5.Dataset
	byColumns  bool // MATLAB's order of an array; compressed columns
	rows, cols int  // of compressed ones
	data       *hdf5.Dataset
	indices    *hdf5.Dataset
	ends       *hdf5.Dataset
	tenx       bool
}

// find returns the matrix that a path selects, or the main one of the file.
func (f *hdf5File) find(loc location) (storedArray, error) {
	path := loc.array
	if path == "" {
		var err error
		if path, err = f.main(); err != nil {
			return storedArray{}, err
		}
	}
	o, err := f.lookup(path)
	if err != nil {
		return storedArray{}, err
	}
	a, err := f.stored(o)
	a.path = strings.Trim(path, "/")
	return a, err
}

// lookup finds an object, in obs too where AnnData keeps its columns.
func (f *hdf5File) lookup(path string) (*hdf5.Object, error) {
	o, err := f.root.Lookup(path)
	if hdf5.IsMissing(err) && f.isAnnData() {
		if column, other := f.root.Lookup("obs/" + path); other == nil {
			return column, nil
		}
	}
	if hdf5.IsMissing(err) {
		return nil, fmt.Errorf("the file has no array %s; it has %s", excerpt([]byte(path)), f.listed(f.arrays()))
	}
	return o, err
}

func (f *hdf5File) isAnnData() bool { return f.root.Has("obs", "var") }

// main is the path of the matrix that is meant where none is named.
func (f *hdf5File) main() (string, error) {
	if f.isAnnData() && f.root.Has("X") {
		return "X", nil
	}
	all := f.arrays()
	switch len(all) {
	case 0:
		return "", errors.New("the file holds no matrix of numbers")
	case 1:
		return all[0].path, nil
	}
	return "", fmt.Errorf("the file holds %d arrays (%s): name one, as in %s:%s", len(all), f.listed(all), f.name, all[0].path)
}

// found is an array in a list.
type found struct{ path, shape string }

// The most arrays that are listed, and that are looked for, among a number of objects.
const (
	shownArrays = 20
	maxArrays   = 1000
	maxObjects  = 10 * maxArrays
	maxNesting  = 8
)

// arrays lists the matrices of numbers in a file, those of a group once, whatever links lead to it.
func (f *hdf5File) arrays() []found {
	var all []found
	objects, groups := 0, map[uint64]bool{}
	var walk func(o *hdf5.Object, before string, depth int)
	walk = func(o *hdf5.Object, before string, depth int) {
		if groups[o.Address()] {
			return
		}
		groups[o.Address()] = true
		names, err := o.Members()
		if err != nil {
			return
		}
		for _, name := range names {
			if objects++; len(all) >= maxArrays || objects > maxObjects || strings.HasPrefix(name, "#") { // MATLAB's own
				continue
			}
			below, err := o.Lookup(name)
			if err != nil {
				continue
			}
			if below.IsDataset() {
				t, shape, err := below.Info()
				class, other := below.Attribute("MATLAB_class")
				if err != nil || other != nil || len(shape) > 2 || len(shape) == 0 || !readable(t) || class.Text() == "char" {
					continue
				}
				if f.matlab || class != nil {
					slices.Reverse(shape)
				}
				all = append(all, found{before + name, shapeOf(shape)})
				continue
			}
			if isCompressed(below) {
				all = append(all, found{before + name, "sparse"})
			} else if depth < maxNesting && !below.Has("codes", "categories") {
				walk(below, before+name+"/", depth+1)
			}
		}
	}
	walk(f.root, "", 0)
	return all
}

func shapeOf(shape []uint64) string {
	text := make([]string, len(shape))
	for i, n := range shape {
		text[i] = fmt.Sprint(n)
	}
	return strings.Join(text, " × ")
}

func (f *hdf5File) listed(all []found) string {
	if len(all) == 0 {
		return "none"
	}
	var text []string
	for i, a := range all {
		if i == shownArrays {
			text = append(text, "…")
			break
		}
		text = append(text, strings.Trim(excerpt([]byte(a.path)), `"`)+" "+a.shape)
	}
	return strings.Join(text, ", ")
}

func readable(t hdf5.Type) bool {
	return t.Class == hdf5.Integer || t.Class == hdf5.Float || t.Class == hdf5.Bool
}

// isCompressed reports whether a group holds compressed rows or columns, of AnnData, of 10x or of MATLAB.
func isCompressed(o *hdf5.Object) bool {
	return o.Has("data", "indices", "indptr") || o.Has("jc")
}

// stored finds how a matrix is stored.
func (f *hdf5File) stored(o *hdf5.Object) (storedArray, error) {
	if o.IsDataset() {
		d, err := o.Dataset()
		if err != nil {
			return storedArray{}, err
		}
		if err := checkNumbers(o, d); err != nil {
			return storedArray{}, err
		}
		class, err := o.Attribute("MATLAB_class")
		return storedArray{dense: d, byColumns: class != nil || f.matlab}, err
	}
	switch {
	case o.Has("jc"):
		return f.matlabSparse(o)
	case isCompressed(o):
		return f.compressed(o)
	case o.Has("codes", "categories"), o.Has("values", "mask"):
		return storedArray{}, &TextError{problem: fmt.Sprintf("%s is a column of classes or with gaps: give it as labels", o.Path)}
	}
	within := strings.Trim(o.Path, "/") + "/"
	all := slices.DeleteFunc(f.arrays(), func(a found) bool { return !strings.HasPrefix(a.path, within) })
	if len(all) == 0 {
		return storedArray{}, fmt.Errorf("%s is a group without a matrix of numbers", o.Path)
	}
	return storedArray{}, fmt.Errorf("%s is a group: name an array in it, as in %s:%s (it has %s)", o.Path, f.name, all[0].path, f.listed(all))
}

// checkNumbers refuses arrays of anything but numbers.
func checkNumbers(o *hdf5.Object, d *hdf5.Dataset) error {
	class, err := o.Attribute("MATLAB_class")
	if err != nil {
		return err
	}
	empty, err := o.Attribute("MATLAB_empty")
	switch {
	case err != nil:
		return err
	case len(empty.Numbers()) > 0 && empty.Numbers()[0] != 0:
		return emptyMatrix(0, 0)
	case class.Text() == "char":
		return fmt.Errorf("variable %s is text: convert it with double", strings.Trim(o.Path, "/"))
	case d.Type.Class == hdf5.Reference && class.Text() == "cell":
		return fmt.Errorf("variable %s is a cell array: convert it with cell2mat", strings.Trim(o.Path, "/"))
	case d.Type.Class == hdf5.String:
		return &TextError{problem: fmt.Sprintf("%s holds text, where numbers should be", o.Path)}
	case !readable(d.Type):
		return fmt.Errorf("%s holds %s, where numbers should be", o.Path, d.Type)
	}
	return nil
}

// dataset reads a member of a group.
func dataset(o *hdf5.Object, name string) (*hdf5.Dataset, error) {
	m, err := o.Lookup(name)
	if err != nil {
		return nil, err
	}
	d, err := m.Dataset()
	if err == nil && !readable(d.Type) {
		err = fmt.Errorf("%s holds %s, where numbers should be", m.Path, d.Type)
	}
	return d, err
}

// compressed finds the arrays of a sparse matrix of AnnData or 10x.
func (f *hdf5File) compressed(o *hdf5.Object) (a storedArray, err error) {
	for _, part := range []struct {
		name string
		to   **hdf5.Dataset
	}{{"data", &a.data}, {"indices", &a.indices}, {"indptr", &a.ends}} {
		if *part.to, err = dataset(o, part.name); err != nil {
			return a, err
		}
	}
	format, shape := "", []uint64(nil)
	for _, name := range []string{"encoding-type", "h5sparse_format"} {
		at, err := o.Attribute(name)
		if err != nil {
			return a, err
		}
		if text := strings.TrimSuffix(at.Text(), "_matrix"); format == "" {
			format = text
		}
	}
	for _, name := range []string{"shape", "h5sparse_shape"} {
		at, err := o.Attribute(name)
		if err != nil {
			return a, err
		}
		if shape == nil {
			shape = at.Numbers()
		}
	}
	if shape == nil && o.Has("shape") { // of features and barcodes, by columns
		d, err := dataset(o, "shape")
		if err != nil {
			return a, err
		}
		if len(d.Shape) != 1 || d.Shape[0] != 2 {
			return a, fmt.Errorf("%s/shape has to name the rows and the columns", o.Path)
		}
		s, h, err := denseSource(storedArray{dense: d}, budget{})
		if err != nil {
			return a, err
		}
		v, err := readArray[int64](s, h, budget{}, 0)
		if err != nil {
			return a, err
		}
		if v[0] >= 0 && v[1] >= 0 {
			shape, format, a.tenx = []uint64{uint64(v[1]), uint64(v[0])}, "csr", true
		}
	}
	if len(shape) != 2 || shape[0] > math.MaxInt32 || shape[1] > math.MaxInt32 {
		return a, fmt.Errorf("%s has the shape %s: it has to name the rows and the columns, of 32 bits each", o.Path, shapeOf(shape))
	}
	if format != "csr" && format != "csc" {
		return a, fmt.Errorf("%s is of the format %s: write it as csr_matrix", o.Path, excerpt([]byte(format)))
	}
	a.rows, a.cols, a.byColumns = int(shape[0]), int(shape[1]), format == "csc"
	return a, nil
}

// matlabSparse finds the arrays of a sparse variable of MATLAB, of which one without entries has one alone.
func (f *hdf5File) matlabSparse(o *hdf5.Object) (a storedArray, err error) {
	rows, err := o.Attribute("MATLAB_sparse")
	if err != nil {
		return a, err
	}
	if len(rows.Numbers()) != 1 || rows.Numbers()[0] > math.MaxInt32 {
		return a, fmt.Errorf("%s has jc, but is no sparse variable of MATLAB", o.Path)
	}
	if a.ends, err = dataset(o, "jc"); err != nil {
		return a, err
	}
	if len(a.ends.Shape) != 1 || a.ends.Shape[0] < 1 || a.ends.Shape[0] > math.MaxInt32 {
		return a, fmt.Errorf("%s/jc has the shape %s: the file is damaged", o.Path, shapeOf(a.ends.Shape))
	}
	a.rows, a.cols, a.byColumns = int(rows.Numbers()[0]), int(a.ends.Shape[0])-1, true
	if o.Has("data", "ir") {
		if a.data, err = dataset(o, "data"); err == nil {
			a.indices, err = dataset(o, "ir")
		}
	}
	return a, err
}

// entries is the number of entries of a sparse matrix.
func (a storedArray) entries() int {
	if a.data == nil {
		return 0
	}
	return int(a.data.Bytes()) / a.data.Type.Size
}

// denseSource begins to read an array.
func denseSource(a storedArray, b budget) (source, npyHeader, error) {
	d := a.dense
	h := npyHeader{fortran: a.byColumns, dtype: dtype{size: d.Type.Size, swap: d.Type.BigEndian == nativeLittle && d.Type.Size > 1}}
	switch {
	case d.Type.Class == hdf5.Float:
		h.dtype.kind = 'f'
	case d.Type.Class == hdf5.Bool:
		h.dtype.kind = 'b'
	case d.Type.Signed:
		h.dtype.kind = 'i'
	default:
		h.dtype.kind = 'u'
	}
	for _, n := range d.Shape {
		h.shape = append(h.shape, int(n))
	}
	if a.byColumns {
		slices.Reverse(h.shape)
	}
	if err := h.setDims(); err != nil {
		return source{}, h, err
	}
	held := d.Held(runtime.GOMAXPROCS(0))
	if err := b.check(fmt.Sprintf("the %d × %d matrix", h.rows, h.cols), float64(d.Bytes()), held); err != nil {
		return source{}, h, err
	}
	r, err := d.Reader()
	return source{Reader: r, size: d.Bytes(), window: held}, h, err
}

// readHDF5 reads a matrix, sparse if it is stored so.
func readHDF5(loc location, o Options) (matrix, error) {
	f, err := openHDF5(loc)
	if err != nil {
		return matrix{}, err
	}
	defer f.Close()
	a, err := f.find(loc)
	if err != nil {
		return matrix{}, err
	}
	return a.read(o.budget())
}

func (a storedArray) read(b budget) (matrix, error) {
	if a.dense == nil {
		return a.readSparse(b)
	}
	s, h, err := denseSource(a, b)
	if err != nil {
		return matrix{}, err
	}
	if h.rows == 0 || h.cols == 0 {
		return matrix{}, emptyMatrix(h.rows, h.cols)
	}
	data, err := readArray[float64](s, h, b, 0)
	if err != nil {
		return matrix{}, err
	}
	return matrix{dense: mat.NewDense(h.rows, h.cols, data)}, nil
}

// sparsePeak is the memory of reading a sparse matrix: its arrays and their compressed rows; and these twice if columns are
// stored.
func (a storedArray) sparsePeak() float64 {
	n, lines := float64(a.entries()), float64(a.rows)+float64(a.cols)
	if a.byColumns {
		return 24*n + 24*lines
	}
	return 20*n + 16*lines
}

func (a storedArray) readSparse(b budget) (matrix, error) {
	if err := b.check(fmt.Sprintf("the sparse %d × %d matrix with %d entries", a.rows, a.cols, a.entries()), a.sparsePeak(), 0); err != nil {
		return matrix{}, err
	}
	if a.rows > freeRows && a.rows/rowsPerEntry > a.entries() {
		return matrix{}, fmt.Errorf("%d rows for only %d entries: leave the empty rows out", a.rows, a.entries())
	}
	c := compressed[int64]{rows: a.rows, cols: a.cols, what: "row", across: "column"}
	if a.byColumns {
		c.rows, c.cols, c.what, c.across = a.cols, a.rows, "column", "row"
	}
	var err error
	if c.ends, err = numbersOf[int64](a.ends, b); err != nil {
		return matrix{}, err
	}
	if a.data != nil {
		if c.indices, err = numbersOf[int64](a.indices, b); err != nil {
			return matrix{}, err
		}
		if c.values, err = numbersOf[float64](a.data, b); err != nil {
			return matrix{}, err
		}
	}
	m, err := c.matrix()
	if err == nil && a.byColumns {
		m = m.Transposed()
	}
	return matrix{sparse: m}, err
}

// numbersOf reads a vector.
func numbersOf[D element](d *hdf5.Dataset, b budget) ([]D, error) {
	s, h, err := denseSource(storedArray{dense: d}, b)
	if err != nil {
		return nil, err
	}
	if h.cols != 1 {
		return nil, fmt.Errorf("an array of a sparse matrix has the shape %s", shapeOf(d.Shape))
	}
	return readArray[D](s, h, b, 0)
}

func hdf5Extent(loc location, o Options) (Extent, error) {
	f, err := openHDF5(loc)
	if err != nil {
		return Extent{}, err
	}
	defer f.Close()
	a, err := f.find(loc)
	if err != nil {
		return Extent{}, err
	}
	if a.dense == nil {
		return Extent{Rows: a.rows, Cols: a.cols, Entries: a.entries(), Peak: int64(a.sparsePeak())}, nil
	}
	s, h, err := denseSource(a, o.budget())
	return denseExtent(h.rows, h.cols, max(h.extra(s), s.window)), err
}

// openHDF5Array begins to read an array that is stored row by row; is reports whether it is one.
func openHDF5Array(loc location, o Options) (s source, h npyHeader, is bool, err error) {
	f, err := openHDF5(loc)
	if err != nil {
		return s, h, false, err
	}
	a, err := f.find(loc)
	if err == nil && a.dense != nil {
		s, h, err = denseSource(a, o.budget())
		is = err == nil && h.rows > 0 && h.cols > 0
	}
	if s.close = f.Close; !is {
		f.Close()
	}
	return s, h, is, err
}

// openHDF5Rows begins to read an array row by row; what is stored by columns or sparse is read whole.
func openHDF5Rows(r *RowReader, loc location, o Options) error {
	s, h, is, err := openHDF5Array(loc, o)
	if err != nil {
		return err
	}
	if !is || h.byColumns() {
		if is {
			s.Close()
		}
		m, err := readHDF5(loc, o)
		if err != nil {
			return err
		}
		return r.openMatrix(m, "it is sparse, or stored by columns")
	}
	if err := o.budget().check("a band of rows", 0, s.window); err != nil {
		s.Close()
		return err
	}
	r.close, r.rows, r.cols = s.Close, h.rows, h.cols
	d := newDecoder[float64](s, h.dtype, s.size)
	r.next = r.inOrder(s, h, d)
	r.seek = func(row int) error {
		s.Reader.(*hdf5.Reader).Seek(row)
		d.done = int64(row) * int64(h.cols) * int64(h.dtype.size)
		return nil
	}
	return nil
}

// isHDF5 reports whether a .mat file is one of version 7.3.
func isHDF5(loc location) (bool, error) {
	if loc.packing != unpacked {
		return false, nil
	}
	f, size, err := openRegular(loc.file, "a .mat file")
	if err != nil {
		return false, err
	}
	defer f.Close()
	return hdf5.Is(f, size)
}
