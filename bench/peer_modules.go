package bench

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"sync"
)

// lacking say, for each program of maps of neighbourhoods and of searches for them, what is in the way of it; "" where
// nothing is. Each looks once, as all cases of a suite ask.
var lacking = map[string]func() string{
	"umap":         pythonLacks("umap", "Debian: umap-learn"),
	"pacmap":       pythonLacks("pacmap", "or have PYTHONPATH name the folder of its source"),
	"opentsne":     pythonLacks("openTSNE", "or have PYTHONPATH name the folder where it was built"),
	"rtsne":        sync.OnceValue(rtsneLacks),
	"fitsne":       sync.OnceValue(func() string { _, err := FItSNE(); return errorText(err) }),
	"faiss":        pythonLacks("faiss", "Debian: python3-faiss"),
	"hnswlib":      pythonLacks("hnswlib", "Debian: python3-hnswlib"),
	"pynndescent":  pythonLacks("pynndescent", "Debian: python3-pynndescent"),
	"hdbscan":      pythonLacks("hdbscan", "or have PYTHONPATH name the folder where it was built"),
	"fast_hdbscan": pythonLacks("fast_hdbscan", "or have PYTHONPATH name the folder of its source"),
	"igraph":       pythonLacks("igraph", "Debian: python3-igraph"),
}

// pythonLacks looks for a module without importing it, which can take seconds.
func pythonLacks(module, remedy string) func() string {
	return sync.OnceValue(func() string {
		python, err := pythonWithSklearn()
		if err != nil {
			return err.Error()
		}
		look := fmt.Sprintf("import importlib.util, sys; sys.exit(importlib.util.find_spec(%q) is None)", module)
		if exec.Command(python, "-c", look).Run() != nil {
			return fmt.Sprintf("%s has no module %s; install it (%s)", python, module, remedy)
		}
		return ""
	})
}

func rtsneLacks() string {
	rscript, err := exec.LookPath("Rscript")
	if err != nil {
		return "there is no Rscript on the path; install it (Debian: r-cran-rtsne)"
	}
	if exec.Command(rscript, "--vanilla", "-e", `quit(status = !nzchar(system.file(package = "Rtsne")))`).Run() != nil {
		return "R has no package Rtsne; install it (Debian: r-cran-rtsne)"
	}
	return ""
}

// FItSNE is the path of the program fast_tsne: $ORTHANT_FITSNE, or the one on the path.
func FItSNE() (string, error) {
	path, err := exec.LookPath(cmp.Or(os.Getenv("ORTHANT_FITSNE"), "fast_tsne"))
	if err != nil {
		return "", fmt.Errorf("its program cannot be run (%w); build fast_tsne, and put it on the path or set ORTHANT_FITSNE", err)
	}
	return path, nil
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
