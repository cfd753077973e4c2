package hdf5

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/orthant-go/orthant/blas"
)

// bandBytes is the size of the bands of rows that a Reader holds, if one row of chunks is not larger.
const bandBytes = 8 << 20

// Reader gives the elements of an array row by row, as bytes in the order of the file.
type Reader struct {
	d          *Dataset
	rows, cols uint64
	rowBytes   int
	step       uint64 // rows of a band: whole chunks
	next       uint64 // row to be read
	band       []byte
	rest       []byte // of the band
}

// Reader returns a reader of the elements. The array has at most two dimensions.
func (d *Dataset) Reader() (*Reader, error) {
	if len(d.Shape) > 2 {
		return nil, fmt.Errorf("%s has %d dimensions, %s: reshape it to two, one sample a row", d.path, len(d.Shape), shapeText(d.Shape))
	}
	r := &Reader{d: d}
	if r.rows, r.cols = d.dims(); d.Bytes() == 0 {
		r.rows = 0
		return r, nil
	}
	r.rowBytes = int(r.cols) * d.Type.Size
	r.step = 1
	if d.chunk != nil {
		r.step, _ = d.chunkDims()
	}
	if more := bandBytes / (uint64(r.rowBytes) * min(r.step, r.rows)); more > 1 {
		r.step *= more
	}
	r.step = min(r.step, r.rows)
	return r, nil
}

// Held is an upper bound of the bytes that a reader takes: a band of rows, and for each of some threads
// a chunk as it is stored and as it is unpacked.
func (d *Dataset) Held(threads int) float64 {
	r, err := d.Reader()
	if err != nil || r.rows == 0 {
		return 0
	}
	held := float64(r.step) * float64(r.rowBytes)
	if d.chunk != nil {
		largest := uint64(0)
		for _, c := range d.chunks {
			largest = max(largest, c.bytes)
		}
		held += float64(min(threads, len(d.chunks))) * (2*float64(d.chunkBytes()) + float64(largest))
		held += 40 * float64(len(d.chunks))
	}
	return held
}

// Read fills p with the following elements. As many rows as whole bands fit are read to their place on all threads.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.rest) == 0 {
		n := min(uint64(len(p)/max(r.rowBytes, 1)), r.rows-r.next)
		if n < r.rows-r.next {
			n -= n % max(r.step, 1)
		}
		if n > 0 {
			to := p[:n*uint64(r.rowBytes)]
			err := r.d.readRows(to, r.next, r.next+n)
			r.next += n
			if err != nil {
				return 0, err
			}
			return len(to), nil
		}
		if r.next == r.rows {
			return 0, io.EOF
		}
		if r.band == nil {
			r.band = make([]byte, r.step*uint64(r.rowBytes))
		}
		n = min(r.step, r.rows-r.next)
		r.rest = r.band[:n*uint64(r.rowBytes)]
		if err := r.d.readRows(r.rest, r.next, r.next+n); err != nil {
			r.rest = nil
			return 0, err
		}
		r.next += n
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Seek goes to a row.
func (r *Reader) Seek(row int) {
	at := uint64(row)
	r.next, r.rest = at, nil
	if off := at % max(r.step, 1); off != 0 && r.rowBytes > 0 { // the band that holds it
		r.next = at - off
		if _, err := r.Read(make([]byte, 1)); err == nil { // an error comes again
			r.rest = r.band[off*uint64(r.rowBytes) : len(r.rest)+1]
		}
	}
}

// All reads all elements.
func (d *Dataset) All() ([]byte, error) {
	r, err := d.Reader()
	if err != nil {
		return nil, err
	}
	raw := make([]byte, d.Bytes())
	_, err = io.ReadFull(r, raw)
	return raw, err
}

// Texts reads an array of strings.
func (d *Dataset) Texts() ([]string, error) {
	if d.Type.Class != String {
		return nil, fmt.Errorf("%s holds %s and no text", d.path, d.Type)
	}
	raw, err := d.All()
	if err != nil {
		return nil, err
	}
	texts, err := d.Type.texts(d.f, raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	return texts, nil
}

// readRows reads the rows from lo to hi.
func (d *Dataset) readRows(to []byte, lo, hi uint64) error {
	_, cols := d.dims()
	rowBytes := cols * uint64(d.Type.Size)
	switch {
	case d.chunk != nil:
		if err := d.readChunks(to, lo, hi); err != nil {
			return fmt.Errorf("%s: %w", d.path, err)
		}
		return nil
	case d.compact != nil:
		copy(to, d.compact[lo*rowBytes:])
		return nil
	case d.contiguous.at == undefined:
		d.fillWith(to)
		return nil
	}
	at := int64(d.contiguous.at + d.f.base + lo*rowBytes)
	errs := make([]error, (len(to)-1)/bandBytes+1)
	_ = blas.For(context.Background(), 0, len(to), bandBytes, func(_, lo, hi int) {
		_, errs[lo/bandBytes] = d.f.r.ReadAt(to[lo:hi], at+int64(lo))
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// fillWith gives elements the value of those that are not stored.
func (d *Dataset) fillWith(to []byte) {
	clear(to)
	if d.fill == nil {
		return
	}
	for at := 0; at < len(to); at += len(d.fill) {
		copy(to[at:], d.fill)
	}
}

// readChunks reads rows from chunks, on all threads.
func (d *Dataset) readChunks(to []byte, lo, hi uint64) error {
	rows, cols := d.dims()
	height, width := d.chunkDims()
	size := uint64(d.Type.Size)
	first, _ := slices.BinarySearchFunc(d.chunks, lo/height, func(c chunk, row uint64) int {
		if c.row < row {
			return -1
		}
		return 1
	})
	end := first
	for end < len(d.chunks) && d.chunks[end].row <= (hi-1)/height {
		end++
	}
	part := d.chunks[first:end]
	if across := (cols-1)/width + 1; uint64(len(part)) < ((hi-1)/height-lo/height+1)*across {
		d.fillWith(to)
	}
	whole := int(height * width * size)
	pool := sync.Pool{New: func() any { return &unpacker{filters: d.filters, most: whole} }}
	errs := make([]error, len(part))
	err := blas.For(context.Background(), 0, len(part), 1, func(_, at, _ int) {
		c := part[at]
		u := pool.Get().(*unpacker)
		defer pool.Put(u)
		stored := make([]byte, c.bytes)
		if _, errs[at] = d.f.r.ReadAt(stored, int64(c.at+d.f.base)); errs[at] != nil {
			return
		}
		p := stored
		if cut := (c.row+1)*height > rows || (c.col+1)*width > cols; !d.edges || !cut {
			if p, errs[at] = u.unpack(stored, c.mask); errs[at] != nil {
				return
			}
		}
		if len(p) != whole {
			errs[at] = damaged("a chunk has %d bytes instead of %d", len(p), whole)
			return
		}
		begin, stop := max(lo, c.row*height), min(hi, (c.row+1)*height, rows)
		left := c.col * width
		n := (min(cols, left+width) - left) * size
		for i := begin; i < stop; i++ {
			from := p[(i-c.row*height)*width*size:]
			copy(to[((i-lo)*cols+left)*size:], from[:n])
		}
	})
	if err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
