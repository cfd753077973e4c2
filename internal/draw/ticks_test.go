package draw

import (
	"math"
	"strings"
	"testing"
)

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.041, 0.061, "−0.04 −0.02 0 0.02 0.04 0.06"},
		{0, 20000, "0 5000 10000 15000 20000"},
		{-1000, 4000, "−1000 0 1000 2000 3000 4000"},
		{1.00001, 1.00005, "1.00001 1.00002 1.00003 1.00004 1.00005"},
		{-1e-9, 3e-9, "−1e−09 0 1e−09 2e−09 3e−09"},
		{5, 5, "5"},
	} {
		var labels []string
		for _, tick := range RoundTicks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
	if n := len(RoundTicks(-math.MaxFloat64, math.MaxFloat64)); n > 12 {
		t.Errorf("%d ticks over all numbers", n)
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1000, 64000, "1000 2000 5000 10\u2009000 20\u2009000 50\u2009000"},
		{0.9, 1100, "1 10 100 1000"},
		{1e-9, 1e-6, "10⁻⁹ 10⁻⁸ 10⁻⁷ 10⁻⁶"},
		{1e-10, 1e10, "10⁻⁹ 10⁻⁶ 10⁻³ 1 10³ 10⁶ 10⁹"},
		{11, 13, "11 11.5 12 12.5 13"},
	} {
		var labels []string
		for _, tick := range LogTicks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{
		{0, 3, "0"}, {0.0265, 3, "0.0265"}, {-1.5, 3, "−1.5"}, {12345.6, 3, "12\u2009300"}, {999999.9, 3, "10⁶"}, {1234567, 3, "1.23·10⁶"},
		{-0.00002, 3, "−2·10⁻⁵"}, {1e-9, 3, "10⁻⁹"}, {math.NaN(), 3, "NaN"}, {math.Inf(-1), 3, "-∞"}, {99.96, 3, "100"},
	} {
		if got := Number(c.v, c.digits); got != c.want {
			t.Errorf("%v with %d digits: %q, want %q", c.v, c.digits, got, c.want)
		}
	}
}
