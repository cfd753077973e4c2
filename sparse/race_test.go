//go:build race

package sparse

// raceDetector: pools of memory forget at random what they hold while it looks.
const raceDetector = true
