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
