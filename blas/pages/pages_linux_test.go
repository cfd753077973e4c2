package pages

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// advised reports whether the address lies in memory for which huge pages are asked.
func advised(t *testing.T, address uintptr) bool {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if count, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); count == 2 {
			inside = from <= address && address < to
		} else if inside && strings.HasPrefix(lines.Text(), "VmFlags:") {
			return strings.Contains(lines.Text(), " hg")
		}
	}
	t.Skip("this system does not say for which memory huge pages are asked")
	return false
}

// Of slices that are too small for advice of their own, the next ones after a reservation lie in huge pages.
func TestReserve(t *testing.T) {
	const size, count = 1 << 18, 64
	Reserve(4 * size * count)
	var slices [count][]byte
	in := 0
	for i := range slices {
		slices[i] = make([]byte, size)
		if advised(t, uintptr(unsafe.Pointer(&slices[i][0]))) {
			in++
		}
	}
	if in < count/2 {
		t.Errorf("%d of %d slices are in memory for which huge pages are asked", in, count)
	}
}
