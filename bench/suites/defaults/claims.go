package defaults

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// margin is how much less than k-means a binding method may have in the mean, and how much more
// than spectral clustering is ahead of it.
const margin = 0.02

// robust are the methods that were made for corrupted samples.
var robust = []string{"l21-nmf", "cim-nmf", "cim-gnmf", "lp-rna", "rmnmf", "amrmf", "apmf", "smrmf", "smrmf-euc", "f-smrmf", "smrmf-ns"}

func claims() []bench.Claim {
	var list []bench.Claim
	for _, key := range binding {
		list = append(list, bindingClaim(key))
	}
	return append(list, aheadClaim)
}

// namesOn are the cases of some methods on some sets.
func namesOn(sets []*dataSet, keys ...string) []string {
	var names []string
	for _, key := range keys {
		for _, s := range sets {
			names = append(names, s.key+"/"+key)
		}
	}
	return names
}

// meanOn is the mean of a figure over sets on which all of it is known.
func meanOn(r *bench.Records, sets []*dataSet, method, key string) (mean float64, known bool) {
	values, found := r.Qualities(key, namesOn(sets, method)...)
	if len(found) < len(sets) {
		return 0, false
	}
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean, true
}

// startShare is the share of the runs of a method that returned their own start, over all sets.
func startShare(r *bench.Records, sets []*dataSet, method string) float64 {
	share := 0.0
	for _, s := range sets {
		v, _ := r.Quality(s.key+"/"+method, "start-returned")
		share += v / float64(len(sets))
	}
	return share
}

// bindingClaim holds a method to k-means on the reporting sets. A run that returned its own start counts as ACC 0.
func bindingClaim(key string) bench.Claim {
	return bench.Claim{
		Name: "no-worse/" + key, Source: "orthant", Paper: fmt.Sprintf("k-means − %.2f", margin),
		Statement: fmt.Sprintf("At its defaults %s has a mean of the median ACC over the five reporting sets that is at most %.2f below that of k-means; a run that returns its own start counts as 0.", key, margin),
		Check: func(r *bench.Records) bench.Finding {
			sets := of(reporting)
			f, ready := r.Unready(namesOn(sets, key, kmeansKey)...)
			if !ready {
				return f
			}
			acc, _ := meanOn(r, sets, key, "acc")
			credited, _ := meanOn(r, sets, key, "acc-credited")
			other, _ := meanOn(r, sets, kmeansKey, "acc")
			ours := fmt.Sprintf("%.3f, k-means %.3f", acc, other)
			share := startShare(r, sets, key)
			if share > 0 {
				ours += fmt.Sprintf("; %.0f %% of the runs returned their start, %.3f without these", 100*share, credited)
			}
			t := bench.TargetFinding(credited >= other-margin, ours, f.Cases)
			if t.Verdict == bench.TargetMissed {
				_, below := compared(r, sets, key, kmeansKey)
				t.Why = "below k-means on " + listed(below)
			}
			return t
		},
	}
}

// listed joins titles of sets.
func listed(titles []string) string {
	if len(titles) == 0 {
		return "no set"
	}
	return strings.Join(titles, ", ")
}

// compared lists the titles of the sets on which a method's median ACC is above another's by more than
// the margin, and below it.
func compared(r *bench.Records, sets []*dataSet, key, other string) (above, below []string) {
	for _, s := range sets {
		v, found := r.Qualities("acc", s.key+"/"+key, s.key+"/"+other)
		switch {
		case len(found) < 2:
		case v[0] > v[1]+margin:
			above = append(above, s.title)
		case v[0] < v[1]-margin:
			below = append(below, s.title)
		}
	}
	return above, below
}

// aheadClaim asks whether what was made for corruption is worth it.
var aheadClaim = bench.Claim{
	Name: "ahead-on-corrupted", Source: "orthant", Paper: fmt.Sprintf("spectral + %.2f", margin),
	Statement: fmt.Sprintf("Some method that was made for corrupted samples is ahead of spectral clustering by %.2f at its defaults, in the mean over the corrupted forms of the median ACC.", margin),
	Check: func(r *bench.Records) bench.Finding {
		sets := of(corrupted)
		f, ready := r.Unready(namesOn(sets, slices.Concat([]string{spectralKey}, robust)...)...)
		if !ready {
			return f
		}
		plain, _ := meanOn(r, sets, spectralKey, "acc")
		best, by := 0.0, ""
		for _, key := range robust {
			if acc, _ := meanOn(r, sets, key, "acc"); acc > best {
				best, by = acc, key
			}
		}
		return bench.TargetFinding(best >= plain+margin, fmt.Sprintf("%s %.3f, the best of %d, spectral %.3f", by, best, len(robust), plain), f.Cases)
	},
}

// halves are the parts of the report.
var halves = []struct {
	half        half
	title, text string
}{
	{reporting, "Reporting sets", "They chose nothing."},
	{choosing, "Choosing sets", "The defaults were chosen on these, so that their figures are no evidence."},
	{corrupted, "Corrupted forms of reporting sets", "COIL-20, 720 of its images, with a white square of 10 × 10 or with salt and pepper in 20 % of the pixels of a fifth of the images, and with a tenth of images more that are uniform noise; USPS, 1000 of its digits, with the latter two. Each seed draws the corruption anew. Noise images are part of the clustering but of no figure."},
}

func sections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for _, h := range halves {
		sets := of(h.half)
		list = append(list, qualityTable(r, sets, h.title+": ACC", h.text+" Median (least–greatest) over the seeds.", "acc"),
			qualityTable(r, sets, h.title+": NMI", h.text+" Median (least–greatest) over the seeds.", "nmi"),
			secondsTable(r, sets, h.title+": processor seconds of a run"), outcome(r, sets, h.title+": what each beats, and what beats it"))
	}
	return append(list, pictures(r))
}

// qualityTable has a row a method.
func qualityTable(r *bench.Records, sets []*dataSet, title, text, key string) bench.Section {
	t := &bench.Table{Columns: []string{"method"}}
	for _, s := range sets {
		t.Columns = append(t.Columns, s.title)
	}
	t.Columns = append(t.Columns, "mean")
	for _, m := range methodsOn(sets) {
		row := []bench.Cell{bench.PlainCell(m.titled())}
		for _, s := range sets {
			row = append(row, r.Cell(run{s, m}.name(), func(one *bench.Record) string { return rangeText(one, key) }))
		}
		last := run{sets[len(sets)-1], m}.name()
		if mean, known := meanOn(r, sets, m.key, key); known {
			row = append(row, bench.Cell{Text: fmt.Sprintf("%.3f", mean), Case: last})
		} else {
			row = append(row, bench.Cell{Text: "–", Case: last, Mark: bench.Absent})
		}
		t.Rows = append(t.Rows, row)
	}
	return bench.Section{Title: title, Text: text, Table: t}
}

// rangeText is a median with its range, where there is one.
func rangeText(one *bench.Record, key string) string {
	v, found := one.Quality[key]
	if !found {
		return ""
	}
	text := fmt.Sprintf("%.3f", v.Median)
	if low, high := one.Quality[key+"-low"].Median, one.Quality[key+"-high"].Median; low < high {
		text += fmt.Sprintf(" (%.3f–%.3f)", low, high)
	}
	return text
}

// secondsTable goes with the two of quality.
func secondsTable(r *bench.Records, sets []*dataSet, title string) bench.Section {
	t := &bench.Table{Columns: []string{"method"}}
	for _, s := range sets {
		t.Columns = append(t.Columns, s.title)
	}
	for _, m := range methodsOn(sets) {
		row := []bench.Cell{bench.PlainCell(m.titled())}
		for _, s := range sets {
			row = append(row, r.Cell(run{s, m}.name(), bench.CPUText("total")))
		}
		t.Rows = append(t.Rows, row)
	}
	return bench.Section{Title: title, Text: "The mean over the seeds, on two threads. The ACC of the same runs is above.", Table: t}
}

// outcome says of each method where it wins and loses.
func outcome(r *bench.Records, sets []*dataSet, title string) bench.Section {
	t := &bench.Table{Columns: []string{"method", "mean ACC", "above k-means", "below k-means", "above spectral", "below spectral", "start returned"}}
	for _, m := range methodsOn(sets) {
		mean, known := meanOn(r, sets, m.key, "acc")
		if !known {
			continue
		}
		last := run{sets[len(sets)-1], m}.name()
		row := []bench.Cell{bench.PlainCell(m.titled()), {Text: fmt.Sprintf("%.3f", mean), Case: last}}
		for _, other := range []string{kmeansKey, spectralKey} {
			above, below := compared(r, sets, m.key, other)
			row = append(row, bench.Cell{Text: listed(above), Case: last}, bench.Cell{Text: listed(below), Case: last})
		}
		t.Rows = append(t.Rows, append(row, bench.Cell{Text: fmt.Sprintf("%.0f %%", 100*startShare(r, sets, m.key)), Case: last}))
	}
	return bench.Section{Title: title, Text: fmt.Sprintf("Sets on which the median ACC differs by more than %.2f from that of k-means and of spectral clustering, on the same samples as they are; and the share of the runs that returned their own start.", margin), Table: t}
}

// pictures shows the corruptions.
func pictures(r *bench.Records) bench.Section {
	s := bench.Section{Title: "What the corrupted forms look like"}
	for _, set := range of(corrupted) {
		height := 32
		if set.source.File == usps.File {
			height = 16
		}
		if name := set.key + "/" + kmeansKey; r.Get(name) != nil {
			s.Pictures = append(s.Pictures, bench.Figure{Case: name, Picture: "images", Height: height, Caption: set.title + ": " + set.form.String()})
		}
	}
	return s
}
