// Package suggest finds the known name nearest to a mistyped one, for the "did
// you mean" of error messages.
package suggest

import "strings"

// Nearest returns the known name that name was most likely meant to be, or ""
// where none is near. Case does not count, nor does the choice between '-' and
// '_'. Near means at most one mistake (a letter left out, added, replaced, or
// swapped with its neighbour) for every three letters of the known name, and
// never all of them; failing that, the shortest known name that begins with
// name (two letters or more) or, failing that, contains it. Of equally good
// names the first wins. Before all this comes what other libraries call the same, such as
// n_components for dim.
//
// Time is O(len(known)·l²) for known names of length l, whatever the length of
// name.
func Nearest(name string, known []string) string {
	typed := fold(name)
	if len(typed) == 0 {
		return ""
	}
	if here, listed := named(name, known); listed {
		return here
	}
	best, bestDistance := "", 0
	for _, k := range known {
		letters := fold(k)
		allowed := max(1, len(letters)/3)
		d := distance(typed, letters, allowed)
		if d > allowed || d >= max(len(typed), len(letters)) {
			continue
		}
		if best == "" || d < bestDistance {
			best, bestDistance = k, d
		}
	}
	if best != "" || len(typed) < 2 {
		return best
	}
	return shortestHolding(string(typed), known)
}

// shortestHolding returns the shortest known name with the typed part, at its
// beginning for preference.
func shortestHolding(typed string, known []string) string {
	for _, holds := range []func(s, part string) bool{strings.HasPrefix, strings.Contains} {
		best := ""
		for _, k := range known {
			if holds(string(fold(k)), typed) && (best == "" || len(k) < len(best)) {
				best = k
			}
		}
		if best != "" {
			return best
		}
	}
	return ""
}

// Hint returns ` (did you mean "…"?)` for the nearest known name, or "" where
// none is near: the tail of an error message.
func Hint(name string, known []string) string {
	near, remark := Nearest(name, known), remarks[bare(name)]
	switch {
	case near != "" && (remark == "" || bare(near) == bare(name)):
		return ` (did you mean "` + near + `"?)`
	case remark != "":
		return " (" + remark + ")"
	}
	return ""
}

// fold takes out of a name what does not count.
func fold(name string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-"))
}

// distance returns the number of mistakes between a and b (optimal string
// alignment), or limit+1 where their lengths alone say that it exceeds limit:
// names arrive from outside and may be of any length.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := above[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
