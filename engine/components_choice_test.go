package engine

import (
	"strings"
	"testing"
)

// One way is named first, with its reason; what does not apply is not offered.
func TestAdviceOnComponents(t *testing.T) {
	for name, c := range map[string]struct {
		sizes       []int
		connected   bool
		measured    bool
		k, joining  int
		first, rest string
	}{
		"outliers":          {[]int{970, 20, 10}, false, true, 12, 90, "choose ‹components=largest›: it holds 97 %", "else each, joint or bridge; 90 neighbours would join them"},
		"parts":             {[]int{1224, 72, 72, 72}, false, true, 12, 69, "choose ‹components=each›: each has at least 72 samples, enough to be embedded on its own", "else largest, joint or bridge; 69"},
		"too small":         {[]int{60, 30, 2}, false, true, 12, 40, "choose ‹components=bridge›: some are too small", "else largest, each or joint"},
		"too small, no X":   {[]int{60, 30, 2}, false, false, 12, 0, "choose ‹components=largest›: some are too small", "else each or joint)"},
		"paths":             {[]int{60, 50}, true, false, 12, 0, "choose ‹components=each›", "(else largest)"},
		"nearly joined":     {[]int{60, 50}, false, true, 12, 14, "14 neighbours would join them, hardly more than the 12 asked for", "choose ‹components=largest›, each, joint or bridge"},
		"hundreds of parts": {[]int{30, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20}, false, true, 12, 0, "choose ‹components=bridge›", "else largest, each or joint)"},
	} {
		got := adviseOn(c.sizes, row{dim: 2}, c.connected, c.measured, c.k, c.joining)
		if !strings.HasPrefix(got, c.first) || !strings.Contains(got, c.rest) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
