//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Too few open files end in one line, of commands that would and that would not open any. With 3, a dynamic
// linker finds no library.
func TestFewDescriptors(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{4, 5, 6, 7} {
		for _, args := range []string{"--version", "generate two-moons --samples 20 --out x.npy"} {
			cmd := exec.Command("sh", "-c", fmt.Sprintf("ulimit -n %d; exec '%s' %s", most, self, args))
			cmd.Dir, cmd.Env = t.TempDir(), commandEnvironment()
			out, err := cmd.CombinedOutput()
			if text := string(out); cmd.ProcessState.ExitCode() != exitUsage || strings.Count(text, "\n") != 1 || !strings.Contains(text, "ulimit -n") {
				t.Errorf("%d files, %s: %v, %q", most, args, err, text)
			}
		}
	}
}
