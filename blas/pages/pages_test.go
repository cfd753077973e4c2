package pages

import "testing"

// A slice is zero and whole, whatever its size and wherever it begins.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, least/8 - 1, least / 8, least/8 + 777, 5*least/8 + 3} {
		x := Make[float64](n)
		if len(x) != n {
			t.Fatalf("%d elements of %d", len(x), n)
		}
		for i, v := range x {
			if v != 0 {
				t.Fatalf("element %d of %d is %v", i, n, v)
			}
			x[i] = float64(i)
		}
		for from := range min(n, 3) {
			Advise(x[from:])
		}
		for i, v := range x {
			if v != float64(i) {
				t.Fatalf("element %d of %d has become %v", i, n, v)
			}
		}
	}
}

func TestAdviseKeepsWithinTheSlice(t *testing.T) {
	x := make([]int32, 3*huge/4+huge/2)
	Advise(x[1 : len(x)-1 : len(x)-1])
	Advise(x[:0:0])
	Advise([]int32(nil))
}

// Released memory may be written again, and the memory next to it stays.
func TestRelease(t *testing.T) {
	x := Make[float64](5*huge/8 + 13)
	for i := range x {
		x[i] = float64(i)
	}
	lo, hi := 100, len(x)-50
	Release(x[lo:hi])
	for i, v := range x {
		if (i < lo || i >= hi) && v != float64(i) {
			t.Fatalf("element %d outside has become %v", i, v)
		}
		x[i] = float64(-i)
	}
	for i, v := range x {
		if v != float64(-i) {
			t.Fatalf("element %d is %v after it was written", i, v)
		}
	}
	Release(x[:10])
	Release([]int32(nil))
}
