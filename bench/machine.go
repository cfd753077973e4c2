package bench

import (
	"os"
	"runtime"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/memory"
)

// thisMachine describes where the program runs.
func thisMachine() Machine {
	host, _ := os.Hostname()
	return Machine{
		Host: host, OS: systemName(), CPU: blas.Describe(blas.MustSelect("")).CPU,
		Cores: runtime.NumCPU(), Memory: memory.Total(),
	}
}

// systemName is the name that the distribution gives itself, where there is one.
func systemName() string {
	name := runtime.GOOS
	if text, err := os.ReadFile("/etc/os-release"); err == nil {
		for line := range strings.Lines(string(text)) {
			if quoted, found := strings.CutPrefix(line, "PRETTY_NAME="); found {
				name = strings.Trim(strings.TrimSpace(quoted), `"`)
			}
		}
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		name += ", " + runtime.GOOS + " " + strings.TrimSpace(string(kernel))
	}
	return name + ", " + runtime.GOARCH
}
