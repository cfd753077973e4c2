package limits_test

import (
	"os"
	"testing"

	"github.com/orthant-go/orthant/blas/limits"
)

// The memory of the machine bounds what is free, and this process has some of it.
func TestMemoryByCalls(t *testing.T) {
	total, free := limits.PhysicalMemory()
	if free <= 0 || free > total || limits.Here().Free() > free {
		t.Errorf("%d bytes, %d of them free, %d for new work", total, free, limits.Here().Free())
	}
	now, peak := limits.ResidentMemory(os.Getpid())
	if now <= 0 || peak < now || peak > total {
		t.Errorf("%d bytes resident, %d at the peak, of %d", now, peak, total)
	}
	if _, peak := limits.ResidentMemory(-1); peak != 0 {
		t.Errorf("a process that is not there has a peak of %d bytes", peak)
	}
	if s := limits.ProcessorSeconds(); s <= 0 || s > 1e6 {
		t.Errorf("%g processor seconds", s)
	}
}
