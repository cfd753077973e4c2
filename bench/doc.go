// Package bench holds the benchmarks that cross packages: the phases of an
// embedding on the data that the papers use, and whole commands against peers
// where those are installed. Benchmarks of one package's kernels are beside the
// kernels.
//
//	go test ./bench -run '^$' -bench Phases
//	go test ./bench -run '^$' -bench Peers -benchtime 5x
package bench
