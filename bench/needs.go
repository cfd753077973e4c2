package bench

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
)

// Missing returns what a case needs and does not find, with the remedy; "" if
// nothing is missing. An error is about an unknown need.
func Missing(e *Env, c *Case) (string, error) {
	needs := c.Needs
	if c.Backend != "" {
		needs = append(slices.Clone(needs), "backend:"+c.Backend)
	}
	var said []string
	for _, need := range needs {
		kind, name, _ := strings.Cut(need, ":")
		check := checks[kind]
		if check == nil || name == "" {
			return "", fmt.Errorf("bench: case %s needs %q; a need is one of data:FILE, peer:NAME, backend:NAME, memory:SIZE, method:NAME, isa:LEVEL", c.Name, need)
		}
		if what := check(e, name); what != "" && !slices.Contains(said, what) {
			said = append(said, what)
		}
	}
	return strings.Join(said, "; "), nil
}

// checks say, for each kind of need, what is missing.
var checks = map[string]func(e *Env, name string) string{
	"data":    checkData,
	"peer":    checkPeer,
	"backend": checkBackend,
	"memory":  checkMemory,
	"method":  checkMethod,
	"isa":     checkISA,
}

func checkData(e *Env, name string) string {
	if exists(DataFile(e.Data, name)) {
		return ""
	}
	if e.Data == "" {
		return fmt.Sprintf("data %s: there is no data folder; give --data DIR or set ORTHANT_DATA", name)
	}
	return fmt.Sprintf("data %s: it is not in the data folder; put it there, or give another by --data DIR or ORTHANT_DATA (\"orthant-bench data\" shows its source)", name)
}

// peerTitles are the peers by their names among the needs. What is said of a missing one begins with its title.
var peerTitles = map[string]string{
	"sklearn": "scikit-learn", "sklearn-today": "today's scikit-learn", "tapkee": "Tapkee", "slepc": "SLEPc",
	"umap": "umap-learn", "pacmap": "PaCMAP", "opentsne": "openTSNE", "rtsne": "Rtsne", "fitsne": "FIt-SNE",
	"faiss": "faiss", "hnswlib": "hnswlib", "pynndescent": "pynndescent",
	"hdbscan": "hdbscan", "fast_hdbscan": "fast_hdbscan", "igraph": "igraph",
}

// lacksPeer reports whether a case did not run for want of a peer.
func (r *Record) lacksPeer() bool {
	for _, title := range peerTitles {
		if strings.HasPrefix(r.Missing, title+": ") {
			return true
		}
	}
	return false
}

func checkPeer(e *Env, name string) string {
	switch name {
	case "sklearn":
		if _, err := pythonWithSklearn(); err != nil {
			return peerTitles[name] + ": " + err.Error() + "; \"make peers\" installs it (Debian: python3-sklearn)"
		}
	case "sklearn-today":
		python, err := pythonToday()
		if err == nil {
			if err = exec.Command(python[0], append(python[1:], "-c", "import sklearn")...).Run(); err != nil {
				err = fmt.Errorf("%s does not have it (%w)", strings.Join(python, " "), err)
			}
		}
		if err != nil {
			return peerTitles[name] + ": " + err.Error() + "; make a chroot of it by \"make python-unstable\", and set ORTHANT_PYTHON_TODAY to \"python/unstable.sh python FOLDER\""
		}
	case "tapkee":
		if e.Tapkee == "" {
			return peerTitles[name] + ": its command is not at hand; give --tapkee PATH or set ORTHANT_TAPKEE"
		}
		if _, err := exec.LookPath(e.Tapkee); err != nil {
			return fmt.Sprintf("%s: %s cannot be run (%v); give --tapkee PATH or set ORTHANT_TAPKEE", peerTitles[name], e.Tapkee, err)
		}
	case "slepc":
		python, err := pythonWithSklearn()
		if err != nil || exec.Command(python, "-c", "import slepc4py.SLEPc").Run() != nil {
			return peerTitles[name] + ": the Python that has scikit-learn does not have slepc4py; install it (Debian: python3-slepc4py, with SLEPC_DIR and PETSC_DIR naming the folders of its libraries where libslepc-real-dev is not there)"
		}
	case "umap", "pacmap", "opentsne", "rtsne", "fitsne", "faiss", "hnswlib", "pynndescent", "hdbscan", "fast_hdbscan", "igraph":
		if what := lacking[name](); what != "" {
			return peerTitles[name] + ": " + what
		}
	default:
		return fmt.Sprintf("peer %s: it is not known how to run it; the peers are %s", name, strings.Join(slices.Sorted(maps.Keys(peerTitles)), ", "))
	}
	return ""
}

func checkBackend(_ *Env, name string) string {
	if slices.Contains(blas.Available(), name) {
		return ""
	}
	if name == "openblas" {
		return "backend openblas: it is not in this build; \"make build-openblas\" makes one that has it"
	}
	return fmt.Sprintf("backend %s: this build has %s", name, strings.Join(blas.Available(), ", "))
}

func checkMemory(e *Env, size string) string {
	need, err := parseSize(size)
	if err != nil {
		return err.Error()
	}
	limit := e.Memory
	if limit == 0 {
		limit = memory.Available()
	}
	if limit > 0 && need > limit {
		return fmt.Sprintf("memory: it takes about %s and %s may be used; run it on a machine with more, or raise --memory",
			limits.FormatBytes(need), limits.FormatBytes(limit))
	}
	return ""
}

func checkMethod(_ *Env, name string) string {
	if _, err := engine.New(name); err != nil {
		return fmt.Sprintf("method %s is not built yet", name)
	}
	return ""
}

// checkISA looks whether the native kernels can use a level: $ORTHANT_ISA may keep them below
// what the processor has.
func checkISA(_ *Env, level string) string {
	levels := blas.ISALevels()
	if slices.Contains(levels, level) {
		return ""
	}
	return fmt.Sprintf("instruction level %s: this processor, build and ORTHANT_ISA allow %s", level, strings.Join(levels, ", "))
}

// parseSize reads a size such as 8GiB or 500MB.
func parseSize(text string) (int64, error) {
	number := strings.TrimRight(text, "KMGTiB")
	factor, known := map[string]float64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "KB": 1e3, "MB": 1e6, "GB": 1e9}[text[len(number):]]
	v, err := strconv.ParseFloat(number, 64)
	if !known || err != nil || !(v > 0) {
		return 0, fmt.Errorf("memory: %q is not a size; give one such as 8GiB", text)
	}
	return int64(v * factor), nil
}

// pythonWithSklearn finds the Python that has scikit-learn: Debian's, which is
// where its package puts it, or the first on the path.
var pythonWithSklearn = sync.OnceValues(func() (string, error) {
	found := ""
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		path, err := exec.LookPath(python)
		if err != nil {
			continue
		}
		found = path
		if exec.Command(path, "-c", "import sklearn").Run() == nil {
			return path, nil
		}
	}
	if found == "" {
		return "", fmt.Errorf("there is no python3")
	}
	return "", fmt.Errorf("%s does not have it", found)
})
