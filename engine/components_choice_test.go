package engine

import (
	"slices"
	"strings"
	"testing"
)

// One way is named first, with its reason; what does not apply is not offered.
func TestAdviceOnComponents(t *testing.T) {
	all := []string{"largest", "each", "joint", "bridge"}
	for name, c := range map[string]struct {
		sizes       []int
		offered     []string
		k, joining  int
		first, rest string
		auto, edges string // what components=auto takes, and of a method with a rule of its own for new samples
	}{
		"outliers":          {[]int{970, 20, 10}, all, 12, 90, "choose ‹components=largest›: it holds 97 %", "(else each, joint or bridge; 90 neighbours would join them)", "each", "bridge"},
		"parts":             {[]int{1224, 72, 72, 72}, all, 12, 69, "choose ‹components=each›: each has at least 72 samples, enough to be embedded on its own", "(else largest, joint or bridge; 69", "each", "bridge"},
		"too small":         {[]int{60, 30, 2}, all, 12, 40, "choose ‹components=bridge›: some are too small", "(else largest, each or joint; 40", "bridge", "bridge"},
		"too small, no X":   {[]int{60, 30, 2}, all[:3], 12, 0, "choose ‹components=largest›: some are too small", "(else each or joint)", "each", "each"},
		"isolated, no X":    {[]int{60, 1}, all[:2], 12, 0, "choose ‹components=largest›: it holds 98.4 %", "(else each)", "each", "each"},
		"isolated, a model": {[]int{60, 1}, all[:1], 12, 0, "choose ‹components=largest›: it holds 98.4 %", "become NaN", "largest", "largest"},
		"paths":             {[]int{60, 50}, all[:2], 12, 0, "choose ‹components=each›", "(else largest)", "each", "each"},
		"nearly joined":     {[]int{60, 50}, all, 12, 14, "14 neighbours would join them, hardly more than the 12 asked for: take ‹neighbors=14›", "(or choose ‹components=largest›, each, joint or bridge)", "each", "bridge"},
		"eighteen parts":    {append([]int{3600}, slices.Repeat([]int{16}, 17)...), all, 12, 16, "16 neighbours would join them", "each", "each", "bridge"}, // local fits to bridges put all samples in one spot
		"hundreds of parts": {append([]int{30}, slices.Repeat([]int{20}, 24)...), all, 12, 0, "choose ‹components=bridge›", "(else largest, each or joint)", "bridge", "bridge"},
		"pairs":             {[]int{2, 2, 2}, []string{"each"}, 1, 0, "choose ‹components=each›: each is embedded on its own", "", "each", "each"},
		"nothing":           {[]int{2, 2, 2}, nil, 1, 0, "take a smaller ‹dim›", "", "error", "error"},
	} {
		w := ways{sizes: c.sizes, dim: 2, offered: c.offered}
		if got := w.advice(c.k, c.joining); !strings.HasPrefix(got, c.first) || !strings.Contains(got, c.rest) {
			t.Errorf("%s: %s", name, got)
		}
		if got := w.auto(); got != c.auto {
			t.Errorf("%s: auto is %s", name, got)
		}
		w.extends = true
		if got := w.auto(); got != c.edges {
			t.Errorf("%s: auto of edges is %s", name, got)
		}
	}
}
