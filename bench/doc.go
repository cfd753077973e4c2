// Package bench measures what the papers and this project claim, as suites of
// cases that "orthant-bench run" runs, and holds the benchmarks that cross
// packages. Benchmarks of one package's kernels are in that package. This package
// is the harness, which knows no suite: each is a package of bench/suites, whose
// All lists them.
//
//	orthant-bench list
//	orthant-bench run all --quick --out report
//	go test ./bench/... -run '^$' -bench 'Phases|Peers|Overhead'
//
// # How a suite is written
//
// A [Suite] is a package bench/suites/NAME with a variable Suite, and one line in
// bench/suites/suites.go. It imports this package and no other suite. Its cases are
// made by the constructors here, and their fields changed where need be:
//
//	c := bench.Embedding("roll/lle", bench.Generated("swiss-roll", 5000), "lle", map[string]any{"neighbors": 12, "dim": 2}, bench.Dev, bench.Draw("y"))
//	c.Group, c.Fresh = "roll", true
//
// [Embedding] runs a method of the engine, [Command] the whole of "orthant
// embed", [Neighbors] a search, [Sklearn] and [Tapkee] the peers; any other case
// is a [Case] with a Run of its own, which may call a method of peers.py by [CallPeer],
// or a program by [External]. A [Source] is a generator or a file of the
// data folder, a [Measure] looks at a result: [Dev], [Trustworthiness], [Draw] ….
// [SetEmbedding] measures the whole result of an embedding, not only its coordinates.
//
// A suite whose figures are seconds sets Speed, and each of its cases declares by
// [Accuracy] which of its qualities is the error that is shown with them and how large it may
// be: [Exact], [AtMost], [AtLeast], [Reported], [Accuracy.Against] a peer. A case that does
// not measure it fails, a record without it is not shown ([Records.TimedCell] prints the
// two in one cell), and [Records.SpeedFinding] reaches a target only within the limits. An error
// that is held to a peer which did not run misses nothing. Its Versus lists ours and the other
// program's cases on the same input, with which the report begins.
// [UserSets] lists the real data that cases may need.
//
// A claim whose name begins with "readme/" has as its Paper the words of the README, or of
// docs/figures.md which continues it, whose numbers [Figures] reads: a test holds every figure of
// both to one.
//
// A [Claim] reads [Records]: [Records.Qualities] for its figures,
// [Records.FindingWithout] or [Records.Unready] where they are not there, and
// [ReproducesIf] or [TargetFinding] for the verdict. Its Source begins with a constant of
// bench/suites/papers, by which the report groups claims, or with "orthant"; its Took is what the
// paper says of its own run's time and machine. Cells of a [Section] come from
// [Records.Cell], [Records.QualityCell], [PaperCell] and [PlainCell], so that every
// number leads to its case. The report lays a [Table] out so that it fits the page: what is the same
// in all rows is printed above it, a unit in the head, and many columns in parts. A [Figure] shows an embedding, or images where it has their
// Height. The package benchtest holds a suite to that.
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
// fresh process, without looking at its result. Peaks of memory refer to a
// fresh process or the peer's; for a foreign program they are looked at every
// few milliseconds, so that what it reaches in its last ones can escape.
package bench
