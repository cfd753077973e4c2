package metrics

import "slices"

// The metrics that are taken where none is named, in the order in which they are shown: those
// first that judge a result, and, where none of them has all that it needs, those of data
// alone.
var (
	ofResults = []string{"dev", "trustworthiness", "continuity", "lcmc", "residual-variance", "nn-error", "acc", "nmi", "reconstruction"}
	ofData    = []string{"bad-neighbors", "intrinsic-dimension"}
)

// Defaults are the names of the metrics to take for what is given, of [InputNames]; none: too
// little is given for any.
func Defaults(given []string) []string {
	for _, set := range [][]string{ofResults, ofData} {
		var names []string
		for _, m := range table {
			if slices.Contains(set, m.Name) && !slices.ContainsFunc(m.Needs, func(need string) bool { return !slices.Contains(given, need) }) {
				names = append(names, m.Name)
			}
		}
		if names != nil {
			return names
		}
	}
	return nil
}

// Own are the settings that the metric has a key for.
func (m *Metric) Own(set map[string]string) map[string]string {
	own := map[string]string{}
	for key, text := range set {
		if m.Settings[key] != nil {
			own[key] = text
		}
	}
	return own
}
