package bench_test

import (
	"context"
	"fmt"
	"os"

	"github.com/orthant-go/orthant/bench"
)

// A suite of one case, run twice: the second run keeps what the first recorded.
func Example() {
	roll := bench.Generated("swiss-roll", 1000)
	suite := bench.Suite{
		Name: "example", Title: "An example",
		Cases: func(*bench.Env) []bench.Case {
			return []bench.Case{bench.Embedding("roll/ltsa", roll, "ltsa", map[string]any{"neighbors": 12}, bench.Dev)}
		},
	}
	folder, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	for range 2 {
		s, err := bench.Run(context.Background(), []bench.Suite{suite}, &bench.Env{}, bench.Options{Out: folder})
		if err != nil {
			panic(err)
		}
		fmt.Println(s.Measured, "measured,", s.Kept, "kept")
	}
	records, err := bench.ReadRecords(folder + "/" + bench.RecordsFile)
	if err != nil {
		panic(err)
	}
	fmt.Println(records[0].Case, records[0].Data, records[0].Repeats, "repeats, dev below 0.2:", records[0].Quality["dev"].Median < 0.2)
	// Output:
	// 1 measured, 0 kept
	// 0 measured, 1 kept
	// roll/ltsa swiss-roll 3 repeats, dev below 0.2: true
}
