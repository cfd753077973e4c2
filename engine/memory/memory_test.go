package memory_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/orthant-go/orthant/engine/memory"
)

// What there is lies between a page and more than any machine has, and this process
// has taken some of it.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("the kernel of " + runtime.GOOS + " is not asked")
	}
	const page, most = 4096, int64(1) << 50
	if a := memory.Available(); a < page || a > most {
		t.Errorf("%d bytes available", a)
	}
	if all := memory.Total(); all < memory.Available() || all > most {
		t.Errorf("%d bytes in all", all)
	}
	if p := memory.Peak(); p < page || p > most {
		t.Errorf("a peak of %d bytes", p)
	}
}

func ExampleAvailable() {
	fmt.Println(memory.Available() >= 0)
	// Output: true
}
