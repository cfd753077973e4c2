package bench

import (
	"context"
	"io"
	"os"

	"gonum.org/v1/gonum/mat"
)

// External is a program that a case runs as a process of its own, and measures as a whole.
type External struct {
	Args []string
	Env  []string  // added to this program's
	In   io.Reader // standard input; nil: none
}

// Spent is what such a process cost, and printed.
type Spent struct {
	Cost
	Peak int64
	Out  []byte
}

// Run runs the program to its end. An error has the last line of its standard error.
func (x External) Run(ctx context.Context) (Spent, error) {
	s, err := process{args: x.Args, env: x.Env, in: x.In}.run(ctx)
	return Spent{Cost{s.wall, s.cpu}, s.peak, s.out}, err
}

// Program is how this program is called, with these arguments.
func (e *Env) Program(args ...string) ([]string, error) {
	command, err := e.command()
	return append(command, args...), err
}

// Python is the Python that has scikit-learn, with what limits its threads.
func Python(threads int) (path string, env []string, err error) {
	path, err = pythonWithSklearn()
	return path, threadLimits(threads), err
}

// Folder makes a folder for the files of one repeat, and says how to remove it.
func (e *Env) Folder() (dir string, remove func(), err error) {
	dir, err = e.folder()
	return dir, func() { os.RemoveAll(dir) }, err
}

// SaveMatrix writes a matrix in the format of the extension.
func SaveMatrix(path string, x mat.Matrix) error { return save(path, x) }
