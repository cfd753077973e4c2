package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// Paths with drives are absolute in every form that Windows has.
func TestResolveDrives(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	drive := filepath.VolumeName(must.Get(os.Getwd())(t))
	here := must.Get(Resolve("."))(t)
	for given, want := range map[string]string{
		`y.npy`: here + `\y.npy`, `a/b\..\y.npy`: here + `\a\y.npy`, drive + `y.npy`: here + `\y.npy`, drive + `\a/y.npy`: drive + `\a\y.npy`, `\a\y.npy`: drive + `\a\y.npy`,
		`\\host\share\y.npy`: `\\host\share\y.npy`, `\\?\` + drive + `\a\y.npy`: `\\?\` + drive + `\a\y.npy`,
	} {
		if got, err := Resolve(given); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", given, got, err, want)
		}
	}
}
