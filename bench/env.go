package bench

import (
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

// Env is what a run finds around it.
type Env struct {
	Data   string // folder of the real data sets; empty: none
	Quick  bool   // the small version of every suite
	Tapkee string // path of Tapkee's command; empty: not available
	Memory int64  // bytes that a case may take; 0: what the machine has available

	// Command is how the command that users have is called: the path of the binary, and
	// what comes before its arguments. Empty: the running binary and [UsersCommand].
	Command []string

	scratch string // folder for the files of the run; empty: the system's
}

// folder makes a folder for the files of one repeat. Whoever asks removes it; what
// a killed run leaves is removed by the next.
func (e *Env) folder() (string, error) {
	if e.scratch != "" {
		if err := os.MkdirAll(e.scratch, 0o777); err != nil {
			return "", fmt.Errorf("bench: %w", err)
		}
	}
	dir, err := os.MkdirTemp(e.scratch, "orthant-bench-")
	if err != nil {
		return "", fmt.Errorf("bench: %w", err)
	}
	return dir, nil
}

// saved returns a file with the samples of a data set in the format of the
// extension: the data set's own, or one written into dir.
func (d *Data) saved(dir, extension string) (string, error) {
	if d.Path != "" && filepath.Ext(d.Path) == extension {
		return d.Path, nil
	}
	path := filepath.Join(dir, "x"+extension)
	return path, save(path, d.X)
}

func save(path string, x mat.Matrix) error {
	out, err := files.Create(path, nil)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := out.WriteMatrix(x, files.Options{}); err != nil {
		return err
	}
	return out.Commit()
}
