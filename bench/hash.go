package bench

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"
)

// HashMatrix names the content of a data set: the first 16 hex digits of the
// SHA-256 over the numbers of rows and columns and then the entries row by row,
// all little-endian, as int64 and float64.
func HashMatrix(x mat.Matrix) string {
	rows, cols := x.Dims()
	h := sha256.New()
	line := make([]byte, 0, 8*max(cols, 2))
	line = binary.LittleEndian.AppendUint64(line, uint64(rows))
	line = binary.LittleEndian.AppendUint64(line, uint64(cols))
	h.Write(line)
	dense, _ := x.(*mat.Dense)
	row := make([]float64, cols)
	for i := range rows {
		if dense != nil {
			row = dense.RawRowView(i)
		} else {
			mat.Row(row, i, x)
		}
		line = line[:0]
		for _, v := range row {
			line = binary.LittleEndian.AppendUint64(line, math.Float64bits(v))
		}
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// hashFile names the bytes of a file in the same way.
func hashFile(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("bench: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:16], nil
}
