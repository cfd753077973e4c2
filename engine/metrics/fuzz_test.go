package metrics

import (
	"strings"
	"testing"
)

// Whatever a metric is set to, it measures or refuses in one line.
func FuzzSettings(f *testing.F) {
	for _, m := range All() {
		f.Add(m.Name, "", "", 4)
		f.Add(m.Name, "", "", -1)
		for key, words := range m.Settings {
			for _, word := range words {
				f.Add(m.Name, key, word, 4)
			}
			f.Add(m.Name, key, "-1", 50)
			f.Add(m.Name, key, "nan", 1)
		}
	}
	f.Fuzz(func(t *testing.T, name, key, value string, k int) {
		set := map[string]string{}
		if key != "" {
			set[key] = value
		}
		if key == "splits" && len(value) > 2 {
			return // long, and no mistake
		}
		in := line(20)
		in.K, in.Set = k, set
		m, err := Named(name, set)
		if err == nil {
			err = m.CheckSettings(set)
		}
		if err == nil {
			err = m.CheckInputs(in)
		}
		if err == nil {
			_, err = m.Measure(t.Context(), in)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("the refusal is %q", err)
		}
	})
}
