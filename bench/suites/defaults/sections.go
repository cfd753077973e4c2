package defaults

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

// halves are the parts of the report.
var halves = []struct {
	half        half
	title, text string
}{
	{reporting, "Reporting sets", "They chose nothing."},
	{choosing, "Choosing sets", "The defaults were chosen on these, so that their figures are no evidence."},
	{corrupted, "Corrupted forms of reporting sets", "COIL-20, 720 of its images, with a white square of 10 × 10 or with salt and pepper in 20 % of the pixels of a fifth of the images, and with a tenth of images more that are uniform noise; USPS, 1000 of its digits, with the latter two. Each seed draws the corruption anew. Noise images take part in the clustering and in no figure."},
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

// secondsTable stands beside the two of quality.
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
