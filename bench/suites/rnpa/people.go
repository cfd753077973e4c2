package rnpa

import (
	"maps"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// The paper's own sets, whose files a user brings: faces of 68 and of 38 people.
var (
	pieSet     = imageSet{key: "pie27", title: "CMU-PIE", file: "pie27.X.npy", maximum: 255, classes: 68, few: true}
	yaleSet    = imageSet{key: "yaleb32", title: "Extended Yale B", file: "yaleb32.X.npy", maximum: 255, classes: 38, few: true, local: "200"}
	peopleSets = []imageSet{pieSet, yaleSet}
)

// people tells the paper's own sets from the others.
func (s imageSet) people() bool { return s.key == pieSet.key || s.key == yaleSet.key }

// own is a coder with what the paper sets for the images.
func (s imageSet) own(c coder) coder {
	if s.local == "" || c.method != "lp-rna" {
		return c
	}
	c.set = maps.Clone(c.set)
	c.set["p"] = s.local
	return c
}

var (
	// peopleCoders are those of the paper's Tables I and II and Fig. 7.
	peopleCoders = []coder{pixels, pcaCoder, lppCoder, nmfCoder, l21Coder, cimLong, gnmfCoder, gsgnmfCoder, printedRNA}
	// rankedPeople are those that are run at every rank of Fig. 7.
	rankedPeople = []coder{lppCoder, nmfCoder, gnmfCoder, printedRNA}
	// peopleLambdas are of Fig. 13: the ends and the middle of the paper's range, and below it.
	peopleLambdas = []string{"0.01", "1", "100", "100000"}
	peopleRanks   = map[string][]int{pieSet.key: {10, 20, 30, 40, 50, 60, 68}, yaleSet.key: {4, 12, 20, 28, 36}} // of Extended Yale B every second one of the paper's
)

// ofPeople is a cell of Figs 5 and 6.
func ofPeople(q noise, c coder) threeClasses { return threeClasses{pieSet, q, c} }

func peopleCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	add := func(c bench.Case) {
		c.Full = true
		cases = bench.AddCase(cases, c)
	}
	for _, set := range peopleSets {
		for _, q := range imageNoises[1:] {
			for _, c := range peopleCoders {
				add(clustering{set: set, noise: q, coder: c}.asCase(e))
			}
			for _, c := range rankedPeople {
				for _, r := range peopleRanks[set.key] {
					add(clustering{set: set, noise: q, coder: c, rank: r}.asCase(e))
				}
			}
			for _, lambda := range peopleLambdas {
				add(clustering{set: set, noise: q, coder: localRNA(lambda)}.asCase(e))
			}
		}
	}
	for _, q := range slices.Concat(orlSweep.salts(), orlSweep.squares()) {
		for _, c := range rankedPeople {
			add(clustering{set: pieSet, noise: q, coder: c}.asCase(e))
		}
	}
	for _, q := range imageNoises[1:] {
		for _, c := range peopleRecognizers {
			for _, r := range ranksOf(c) {
				add(recognition{pieSet, q, c, r}.asCase(e))
			}
		}
		for _, c := range regularized {
			for _, lambda := range recognitionLambdas {
				add(atLambda(pieSet, q, c, lambda).asCase(e))
			}
		}
	}
	return cases
}

// peopleRecognizers are those of Fig. 8.
var peopleRecognizers = slices.Concat([]coder{pixels, ldaCoder}, sweptRecognizers)

// ranksOf lists the ranks of Fig. 8, or one where a coder has none of its own.
func ranksOf(c coder) []int {
	if c.method == "" || c.method == "lda" {
		return []int{recognitionRank}
	}
	return recognitionRanks
}
