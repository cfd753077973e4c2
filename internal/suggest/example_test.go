package suggest_test

import (
	"fmt"

	"github.com/orthant-go/orthant/internal/suggest"
)

func ExampleNearest() {
	known := []string{"swiss-roll", "helix", "two-moons"}
	fmt.Printf("%q\n", suggest.Nearest("SwissRol", known))
	fmt.Printf("%q\n", suggest.Nearest("moons", known))
	fmt.Printf("%q\n", suggest.Nearest("torus", known))
	// Output:
	// "swiss-roll"
	// "two-moons"
	// ""
}
