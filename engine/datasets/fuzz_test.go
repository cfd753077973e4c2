package datasets

import (
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// Whatever a generator is given, it draws a set of finite numbers or refuses in one line.
func FuzzSettings(f *testing.F) {
	for _, name := range Names() {
		parameters := must.Get(Parameters(name))(f)
		f.Add(name, "", "", int16(20))
		for _, p := range parameters {
			f.Add(name, p.Key, "1", int16(20))
			f.Add(name, p.Key, "-1", int16(20))
			f.Add(name, p.Key, "1e308", int16(3))
			f.Add(name, p.Key, "nan", int16(1))
		}
	}
	f.Fuzz(func(t *testing.T, name, key, value string, samples int16) {
		if samples > 100 {
			return
		}
		set := map[string]string{}
		if key != "" {
			set[key] = value
		}
		s, err := Generate(name, int(samples), 1, set)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the refusal is %q", err)
			}
			return
		}
		rows, cols := s.X.Dims()
		for i := range rows {
			for j := range cols {
				if v := s.X.At(i, j); v-v != 0 {
					t.Fatalf("%s with %s=%s has %v", name, key, value, v)
				}
			}
		}
	})
}
