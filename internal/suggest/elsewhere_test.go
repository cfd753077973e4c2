package suggest

import (
	"regexp"
	"strings"
	"testing"
)

// The names of other libraries lead to what is meant, and to nothing else.
func TestElsewhere(t *testing.T) {
	embedding := []string{"dim", "components", "duplicates", "neighbors", "iterations", "tolerance", "seed", "threads", "standardize", "neighbors_method"}
	for name, want := range map[string]string{
		"n_components": "dim", "n_neighbors": "neighbors", "n-neighbors": "neighbors", "random_state": "seed", "max_iter": "iterations", "tol": "tolerance",
		"n_jobs": "threads", "scale": "standardize", "n_clusters": "", "batch_size": "", "neighbors_algorithm": "neighbors_method", "perplexity": "neighbors",
	} {
		if got := Nearest(name, embedding); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
	for _, c := range []struct {
		name, want string
		known      []string
	}{
		{"n_components", "rank", []string{"components", "rank"}}, {"--n-components", "--dim", []string{"--components", "--dim"}},
		{"--n_clusters", "--clusters", []string{"--clusters"}}, {"n_neighbors", "k", []string{"k", "radius"}}, {"n_neighbors", "p", []string{"p"}},
		{"scale", "scale", []string{"standardize", "scale"}}, // of the methods that have it
	} {
		if got := Nearest(c.name, c.known); got != c.want {
			t.Errorf("Nearest(%q, %q) = %q, want %q", c.name, c.known, got, c.want)
		}
	}
	if got, want := Hint("affinity", embedding), " (give affinities of your own as affinities)"; got != want {
		t.Errorf("Hint(affinity) = %q, want %q", got, want)
	}
	if got, want := Hint("--Metric", []string{"--method", "--metric"}), ` (did you mean "--metric"?)`; got != want { // of the neighbour search
		t.Errorf("Hint(--Metric) = %q, want %q", got, want)
	}
	if got, want := Hint("n_components", embedding), ` (did you mean "dim"?)`; got != want {
		t.Errorf("Hint(n_components) = %q, want %q", got, want)
	}
	plain := regexp.MustCompile("^[a-z0-9]+$")
	for name, list := range elsewhere {
		if !plain.MatchString(name) || len(list) == 0 {
			t.Errorf("%q leads to %q", name, list)
		}
	}
}

func TestInstead(t *testing.T) {
	for name, first := range map[string]string{
		"tsne": "take tsne,", "t-SNE": "take tsne,", "UMAP": "take umap,", "densmap": "take umap", "trimap": "take pacmap,", "phate": "take diffusion-maps,", "kernel_pca": "take isomap,", "hdbscan": "take spectral,",
		"factor-analysis": "take pca,", "SpectralEmbedding": "take le,", "k-medoids": "take ds3,", "Fast ICA": "take nmf,",
	} {
		if got := Instead(name); !strings.HasPrefix(got, first) {
			t.Errorf("Instead(%q) = %q, want %q…", name, got, first)
		}
	}
	for _, name := range []string{"", "neml", "frobnicate"} {
		if got := Instead(name); got != "" {
			t.Errorf("Instead(%q) = %q", name, got)
		}
	}
}

// Every other name leads somewhere, and what is written is a sentence.
func TestInsteadTable(t *testing.T) {
	folded := regexp.MustCompile(`^[a-z0-9]+$`)
	for other, name := range otherNames {
		if instead[name] == "" || !folded.MatchString(other) {
			t.Errorf("%s leads to %s, which is not there", other, name)
		}
	}
	for name, text := range instead {
		if !folded.MatchString(name) || !strings.HasPrefix(text, "take ") || strings.Contains(text, "%!") || strings.HasSuffix(text, ".") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
