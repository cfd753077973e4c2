// Package bench measures what the papers and this project claim, as suites of
// cases that "orthant bench run" runs, and holds the benchmarks that cross
// packages. Benchmarks of one package's kernels are beside the kernels.
//
//	orthant bench list
//	orthant bench run all --quick --out report
//	go test ./bench -run '^$' -bench 'Phases|Peers|Overhead'
//
// # How a suite is written
//
// A [Suite] is a file suite_NAME.go and one line in the table of suites.go. Its
// cases are made by the constructors here, and their fields changed where need
// be:
//
//	c := Embedding("roll/lle", Generated("swiss-roll", 5000), "lle", map[string]any{"neighbors": 12, "dim": 2}, Dev, Draw("y"))
//	c.Group, c.Fresh = "roll", true
//
// [Embedding] runs a method of the engine, [Command] the whole of "orthant
// embed", [Neighbors] a search, [Sklearn] and [Tapkee] the peers; any other case
// is a [Case] with a Run of its own. A [Source] is a generator or a file of the
// data folder, a [Measure] looks at a result: [Dev], [Trustworthiness], [Draw] ….
//
// # How a run goes
//
// [Run] takes suites one after the other and the cases of a group in turn
// (A B A B …). A case with Fresh runs in a process of its own, by the hidden
// command "bench case", the others in this one, after a garbage collection and
// on as many threads as they ask for. Each repeat is a line of journal.jsonl, on
// the disk before the next begins, and each case a line of records.jsonl: a
// [Record] with medians, spreads and a sentence where the machine was noisy. A
// run that is killed at any moment goes on where it stopped.
//
// Where a figure is from: totals are those that the case itself measured, such as
// the times of the engine without reading; the phase "process" is the whole of a
// fresh process, without looking at its result. Peaks of memory are those of a
// fresh process or of the peer's; for a foreign program they are looked at every
// few milliseconds, so that what it reaches in its last ones can escape.
package bench
