package blas

import "github.com/orthant-go/orthant/blas/pages"

// MaxFixed40 is one more than the largest number that [Fixed40s] hold.
const MaxFixed40 = 1 << 39

// MostFixed40 is [MaxFixed40].
//
// Deprecated: use [MaxFixed40].
const MostFixed40 = MaxFixed40

// Fixed40s are whole numbers from 0 on below [MaxFixed40], in five bytes each.
type Fixed40s struct {
	coarse []int32
	fine   []uint8 // the last eight bits
}

// NewFixed40s makes room for n numbers: zeros.
func NewFixed40s(n int) Fixed40s {
	return Fixed40s{pages.MakeAfterRelease[int32](n), pages.Make[uint8](n)}
}

// Set writes values times a factor, rounded, from place at on. A value below 0 or too large is
// clamped to the nearest representable number.
func (f Fixed40s) Set(at int, factor float64, values []float64) {
	coarse, fine := f.coarse[at:at+len(values)], f.fine[at:at+len(values)]
	for q, v := range values {
		v = min(max(float64(v*factor)+0.5, 0), MaxFixed40-1)
		t := int64(v)
		coarse[q], fine[q] = int32(t>>8), uint8(t)
	}
}

// Read writes the numbers from place at on.
func (f Fixed40s) Read(at int, values []float64) {
	coarse, fine := f.coarse[at:at+len(values)], f.fine[at:at+len(values)]
	from := 0
	if quads := len(values) / 4; kernel.fixed40s != nil && quads > 0 {
		kernel.fixed40s(quads, noescape(&coarse[0]), noescape(&fine[0]), noescape(&values[0]))
		from = 4 * quads
	}
	for q := from; q < len(values); q++ {
		values[q] = float64(int64(coarse[q])<<8 | int64(fine[q]))
	}
}
