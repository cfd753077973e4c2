package files

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// An error about a damaged file is one line of a bounded length, whatever the file has in
// place of a name.
func TestErrorsAreBounded(t *testing.T) {
	long := strings.Repeat("x\n", 25000)
	for _, header := range []string{
		"{'descr': '" + long + "', 'fortran_order': False, 'shape': (2, 2)}",
		"{'" + long + "': 1}",
		"{'descr': 'U" + long + "', 'fortran_order': False, 'shape': (2, 2)}",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (" + strings.Repeat("2,", 25000) + ")}",
		long,
	} {
		file := append([]byte("\x93NUMPY\x02\x00"), binary.LittleEndian.AppendUint32(nil, uint32(len(header)))...)
		path := filepath.Join(t.TempDir(), "x.npy")
		must.Do(t, os.WriteFile(path, append(file, header...), 0o600))
		_, err := ReadMatrix(path, Options{})
		if err == nil {
			t.Errorf("no error of %.40q", header)
		} else if text := err.Error(); len(text) > 3000 || strings.Contains(text, "\n") {
			t.Errorf("an error of %d bytes: %.200q", len(text), text)
		}
	}
}
