package draw_test

import (
	"fmt"

	"github.com/orthant-go/orthant/internal/draw"
)

func ExampleLogTicks() {
	for _, t := range draw.LogTicks(0.9, 70) {
		fmt.Println(t.Label)
	}
	fmt.Println(draw.Number(6.02214e23, 3))
	// Output:
	// 1
	// 2
	// 5
	// 10
	// 20
	// 50
	// 6.02·10²³
}
