package smrmf

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// claimedSets are those of the keys.
func claimedSets(keys ...string) []dataSet {
	var list []dataSet
	for _, key := range keys {
		list = append(list, dataSets[slices.IndexFunc(dataSets, func(s dataSet) bool { return s.key == key })])
	}
	return list
}

var clusterClaims = slices.Concat(
	[]bench.Claim{
		moonClaim(planeMoons, "acc"), moonClaim(noisyMoons, "acc"), moonClaim(planeMoons, "nmi"), moonClaim(noisyMoons, "nmi"),
		moonGain(planeMoons), moonGain(noisyMoons), moonsLearned,
	},
	rowClaims(accuracyTable), rowClaims(informationTable),
	[]bench.Claim{
		spreadClaim, averagesClaim(accuracyTable), averagesClaim(informationTable), bestClaim("acc"), bestClaim("nmi"),
		gainClaim("SMRMF", "RMNMF", ".64 against .60, NMI .45 against .39, over thirteen sets"),
		gainClaim("f-SMRMF", "RMNMF", ".65 against .60, NMI .46 against .39, over thirteen sets"),
		gainClaim("SMRMF", "SMRMF-NS", ".64 against .59, over thirteen sets"),
		gainClaim("SMRMF", "SMRMF-Euc", ".64 against .62, over thirteen sets"),
		setClaim(rowSets[0]), setClaim(rowSets[1]), setClaim(rowSets[2]), setClaim(rowSets[3]), setClaim(rowSets[4]),
	},
)

// fewestSets is the number of sets that a claim about all of them needs.
const fewestSets = 4

// fewSets is the finding of a claim of which too few sets were run: what was in the way
// where that is known.
func fewSets(sets int, f bench.Finding) (bench.Finding, bool) {
	switch {
	case sets >= fewestSets:
		return f, false
	case sets == 0 && f.Why != "":
		return f, true
	}
	return bench.Finding{Verdict: bench.NotRun, Why: fmt.Sprintf("%d sets have been run, and it is about %d", sets, len(dataSets)), Cases: f.Cases}, true
}
