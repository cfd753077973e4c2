package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Another module imports the engine, as users do. Its dependencies are some of
// this module's, so that nothing is fetched.
func TestExampleModule(t *testing.T) {
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not there to build another module with")
	}
	folder := filepath.Join("..", "examples", "go")
	for _, args := range [][]string{{"vet", "."}, {"run", "."}} {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", args[0], err, out)
		}
		if args[0] != "run" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(folder, "output.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if string(out) != string(want) {
			t.Errorf("it prints\n%swant\n%s", out, want)
		}
	}
}
