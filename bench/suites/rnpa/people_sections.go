package rnpa

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// peopleSections shows what was measured on the paper's own sets.
func peopleSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for at, q := range imageNoises[1:] {
		s := bench.Section{
			Title: fmt.Sprintf("Three people of CMU-PIE (Fig. %d): %s", 5+at, q.title),
			Text:  "126 images in three coordinates, k-means among them; mean ± standard deviation of the repeats, each of other people. The paper's three people are not named.",
			Table: &bench.Table{Columns: []string{"method", "ACC", "NMI", "paper: ACC/NMI"}},
		}
		for _, c := range threeCoders {
			name, paper := ofPeople(q, c).name(), bench.PlainCell("–")
			if text := threePrinted[c.key][at]; text != "" {
				paper = bench.PaperCell(text)
			}
			s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(c.title), meanAndDeviation(r, name, "acc"), meanAndDeviation(r, name, "nmi"), paper})
		}
		sections = append(sections, s)
	}
	for _, set := range peopleSets {
		for _, q := range imageNoises[1:] {
			s := bench.Section{
				Title: fmt.Sprintf("Clustering: %s, %s", set.title, q.title),
				Text:  fmt.Sprintf("%d components, k-means among the coordinates; mean ± standard deviation of the repeats.", set.classes),
				Table: &bench.Table{Columns: []string{"method", "ACC", "NMI"}},
			}
			for _, c := range peopleCoders {
				name := clustering{set: set, noise: q, coder: c}.name()
				s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(c.title), meanAndDeviation(r, name, "acc"), meanAndDeviation(r, name, "nmi")})
			}
			sections = append(sections, s)
		}
	}
	var list []byNumber
	for _, set := range peopleSets {
		for _, q := range imageNoises[1:] {
			list = append(list, byNumber{title: fmt.Sprintf("Rank (Fig. 7), %s, %s: ACC", set.title, q.title), label: "r", key: "acc", unit: "ACC", at: numbers(peopleRanks[set.key]), coders: rankedPeople,
				name: func(c coder, i int) string { return clustering{set, q, c, peopleRanks[set.key][i]}.name() }})
		}
	}
	for _, q := range imageNoises[1:] {
		list = append(list, byNumber{title: "Recognition by rank (Fig. 8), CMU-PIE, " + q.title, label: "r", key: "rate", unit: "rate of recognition", at: numbers(recognitionRanks), coders: sweptRecognizers,
			name: func(c coder, i int) string { return recognition{pieSet, q, c, recognitionRanks[i]}.name() }},
			byNumber{title: "Recognition by λ (Fig. 13 c, d), CMU-PIE, " + q.title, label: "λ", key: "rate", unit: "rate of recognition", logX: true, at: floats(recognitionLambdas), coders: regularized,
				name: func(c coder, i int) string { return atLambda(pieSet, q, c, recognitionLambdas[i]).name() }})
		for _, set := range peopleSets {
			list = append(list, byNumber{title: fmt.Sprintf("λ (Fig. 13 a, b), %s, %s: ACC", set.title, q.title), label: "λ", key: "acc", unit: "ACC", logX: true, at: floats(peopleLambdas), coders: []coder{factorCoder("lp-rna", "lp-rna")},
				name: func(_ coder, i int) string {
					return clustering{set: set, noise: q, coder: localRNA(peopleLambdas[i])}.name()
				}})
		}
	}
	return slices.Concat(sections, sweepSections(r, list, "Mean ± standard deviation of the repeats."))
}

func numbers(list []int) []float64 {
	var all []float64
	for _, v := range list {
		all = append(all, float64(v))
	}
	return all
}
