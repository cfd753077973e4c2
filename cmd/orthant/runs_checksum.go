package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// dataSum is the checksum of the numbers of a matrix, stored dense or sparse.
func dataSum(x mat.Matrix) string {
	h := sha256.New()
	n, m := x.Dims()
	sum := numberSum{Hash: h}
	sum.add(uint64(n))
	sum.add(uint64(m))
	if a, isSparse, err := sparse.Of(x); isSparse && err == nil {
		for i := range n {
			cols, vals := a.Row(i)
			for p, j := range cols {
				if vals[p] != 0 {
					sum.entry(i, int(j), m, vals[p])
				}
			}
		}
	} else {
		for i := range n {
			for j := range m {
				if v := x.At(i, j); v != 0 {
					sum.entry(i, j, m, v)
				}
			}
		}
	}
	sum.flush()
	return hex.EncodeToString(h.Sum(nil))
}

// numberSum gathers numbers for a checksum.
type numberSum struct {
	hash.Hash
	buffer []byte
}

func (s *numberSum) add(v uint64) {
	s.buffer = binary.LittleEndian.AppendUint64(s.buffer, v)
	if len(s.buffer) >= 1<<15 {
		s.flush()
	}
}

func (s *numberSum) entry(i, j, m int, v float64) {
	s.add(uint64(i)*uint64(m) + uint64(j))
	s.add(math.Float64bits(v))
}

func (s *numberSum) flush() {
	s.Write(s.buffer)
	s.buffer = s.buffer[:0]
}
