package neighbors

import (
	"math"
	"sync"
	"sync/atomic"
)

// shortlists hold the k nearest found so far of every row, each as sorted words:
// the bits of the squared distance (which order as the number does), then the
// place of the neighbour, then 1 while it is new. What is left of a list after
// any number of offers depends on which pairs were offered and not on the order,
// so that workers may offer as they come and the result is the same.
type shortlists struct {
	k       int
	entries []uint64
	bound   []uint32     // bits of the largest squared distance held
	locks   []sync.Mutex // nil where there is one worker
}

// lockRows is the number of rows that share a lock, a power of two.
const lockRows = 64

// vacant is the word of a place not yet taken: further away than anything.
const vacant = 0x7f800000<<32 | 0xfffffffe

func newShortlists(n, k, workers int) *shortlists {
	s := &shortlists{k: k, entries: make([]uint64, n*k), bound: make([]uint32, n)}
	for p := range s.entries {
		s.entries[p] = vacant
	}
	for i := range s.bound {
		s.bound[i] = vacant >> 32
	}
	if workers > 1 {
		s.locks = make([]sync.Mutex, n/lockRows+1)
	}
	return s
}

func (s *shortlists) row(i int) []uint64 { return s.entries[i*s.k : (i+1)*s.k] }

func place(entry uint64) int32 { return int32(uint32(entry) >> 1) }
func isNew(entry uint64) bool  { return entry&1 != 0 }

// reach is the squared distance beyond which nothing enters list i any more. It
// may be out of date, and is then too large.
func (s *shortlists) reach(i int32) float32 {
	return math.Float32frombits(atomic.LoadUint32(&s.bound[i]))
}

// offer proposes j for the list of i.
func (s *shortlists) offer(i, j int32, square float32) {
	entry := uint64(math.Float32bits(square))<<32 | uint64(uint32(j))<<1 | 1
	if s.locks == nil {
		s.insert(int(i), entry)
		return
	}
	lock := &s.locks[i/lockRows]
	lock.Lock()
	s.insert(int(i), entry)
	lock.Unlock()
}

func (s *shortlists) insert(i int, entry uint64) {
	list := s.row(i)
	last := len(list) - 1
	if entry >= list[last] {
		return
	}
	p := last
	for p > 0 && list[p-1] > entry {
		p--
	}
	if p > 0 && list[p-1]|1 == entry {
		return // held already, new or old
	}
	for q := last; q > p; q-- {
		list[q] = list[q-1]
	}
	list[p] = entry
	atomic.StoreUint32(&s.bound[i], uint32(list[last]>>32))
}

// holds tells whether list j holds i, given i's entry for j. The pair has been
// offered to both, so it suffices that nothing has driven it out.
func (s *shortlists) holds(j, i int32, entry uint64) bool {
	return entry&^0xffffffff|uint64(uint32(i))<<1 <= s.entries[int(j+1)*s.k-1]
}

// fresh counts the entries that are new.
func (s *shortlists) fresh() int {
	var count int
	for _, e := range s.entries {
		count += int(e & 1)
	}
	return count
}

// widen makes room for k entries in every list and marks all as new. What is
// added is vacant until rows are compared.
func (s *shortlists) widen(k int) {
	n := len(s.bound)
	wide := make([]uint64, n*k)
	for i := range n {
		row := wide[i*k : (i+1)*k]
		for p := copy(row, s.row(i)); p < k; p++ {
			row[p] = vacant
		}
		for p := range row[:s.k] {
			row[p] |= 1
		}
		s.bound[i] = uint32(row[k-1] >> 32)
	}
	s.k, s.entries = k, wide
}
