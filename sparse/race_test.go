//go:build race

package sparse

// raceDetector: while it runs, memory pools drop their content at random.
const raceDetector = true
