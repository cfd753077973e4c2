package suggest

import (
	"regexp"
	"strings"
	"testing"
)

func TestInstead(t *testing.T) {
	for name, first := range map[string]string{
		"tsne": "take le,", "t-SNE": "take le,", "UMAP": "take le,", "phate": "take diffusion-maps,", "kernel_pca": "take isomap,", "hdbscan": "take spectral,",
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
