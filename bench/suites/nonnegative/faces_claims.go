package nonnegative

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// facePairs are the nonnegative projections with their signed counterparts.
var facePairs = [][2]string{{"npca", "pca"}, {"nonpp", "onpp"}}

var facesClaims = []bench.Claim{
	{
		Name: "faces-recognition", Source: papers.Nonnegative + ", section 5",
		Statement: "Nonnegative projections carry over to faces: the nearest neighbour by NPCA errs no more than by PCA, by NONPP no more than by ONPP, to two standard deviations over the splits.",
		Paper:     "named as the next step; no figure",
		Check:     checkFaces,
	},
	{
		Name: "faces-orthonormal", Source: papers.Nonnegative + ", eqs 11, 15 and section 5",
		Statement: "On faces the multiplicative rule ends with nonnegative directions under UᵀU = I (to 0.1).",
		Paper:     "stated for the rules; no figure for faces",
		Check: func(r *bench.Records) bench.Finding {
			var names []string
			for _, s := range faceSets {
				for _, pair := range facePairs {
					names = append(names, basesName(s, pair[0]))
				}
			}
			f, ready := r.Unready(names...)
			if !ready {
				return r.FindingWithout(names...)
			}
			met := 0
			for i, name := range names {
				v, _ := r.Quality(name, "orthogonality")
				if v < 0.1 {
					met++
				}
				f.Ours += fmt.Sprintf("%s on %s %.2f, ", facePairs[i%2][0], faceSets[i/2].title, v)
			}
			f.Ours = fmt.Sprintf("‖UᵀU − I‖ of %d directions after 500 iterations: ", basesDim) + f.Ours[:len(f.Ours)-2]
			if f.Verdict = inPart(met, len(names), len(names)/2); f.Verdict != bench.Reproduces {
				f.Why = "Where the matrix has entries of both signs fixed points of the rule need not be orthonormal: see local-optimum."
			}
			return f
		},
	},
}

// inPart is the verdict on several comparisons: all hold, at least so many, or fewer.
func inPart(held, all, least int) bench.Verdict {
	switch {
	case held == all:
		return bench.Reproduces
	case held >= least:
		return bench.PartlyHolds
	}
	return bench.DoesNot
}

// checkFaces reproduces if all comparisons hold and does so in part if half of them do.
func checkFaces(r *bench.Records) bench.Finding {
	var names []string
	for _, s := range faceSets {
		for _, method := range faceMethods {
			for _, dim := range faceDims {
				names = append(names, facesName(s, method, dim))
			}
		}
	}
	f, ready := r.Unready(names...)
	if !ready {
		return r.FindingWithout(names...)
	}
	held, all := 0, 0
	for _, s := range faceSets {
		for _, pair := range facePairs {
			f.Ours += fmt.Sprintf("%s on %s", pair[0], s.title)
			for _, dim := range faceDims {
				mean, _ := r.Quality(facesName(s, pair[0], dim), "nn-error")
				own, _ := r.Quality(facesName(s, pair[0], dim), "nn-sd")
				signed, _ := r.Quality(facesName(s, pair[1], dim), "nn-error")
				other, _ := r.Quality(facesName(s, pair[1], dim), "nn-sd")
				all++
				if mean <= signed+2*max(own, other) {
					held++
				}
				f.Ours += fmt.Sprintf(" %.1f/%.1f", mean, signed)
			}
			f.Ours += ", "
		}
	}
	f.Ours = fmt.Sprintf("errors in per cent, nonnegative/signed, with %d, %d and %d directions: ", faceDims[0], faceDims[1], faceDims[2]) + f.Ours[:len(f.Ours)-2] + fmt.Sprintf("; %d of %d comparisons hold", held, all)
	if f.Verdict = inPart(held, all, all/2); f.Verdict != bench.Reproduces {
		f.Why = "A direction without negative entries is a weighted sum of pixels and changes with the light; differences of pixels, which signed directions take, need not."
	}
	return f
}

func facesSections(r *bench.Records) []bench.Section {
	errors := bench.Section{
		Title: "Faces: recognition (the outlook of section 5)",
		Text:  "ORL (400 images of 40 people) and Extended Yale B (2414 images of 38), 32 × 32 pixels as they are: the nearest training image is of another person in so many per cent of the cases; fitted to half of each person's images, the other half projected by the model; mean and deviation over five splits. NPCA and NONPP by the paper's rule (for a minimum on the shifted matrix), 500 iterations; ONPP and NONPP with k = 12.",
		Table: &bench.Table{Columns: []string{"set", "directions", "pca", "npca", "onpp", "nonpp", "pixels"}},
	}
	bases := bench.Section{
		Title: "Faces: the directions",
		Text:  fmt.Sprintf("%d directions fitted to all images of a set by the paper's rule. Alone: the share of the pixels in use of which one direction has nine tenths of the squares. Pixels: those of a direction above a tenth of its largest, in the mean. One patch: the mean share of a direction's squares that lies in the largest connected patch of those, 1 where every direction is one part of the face.", basesDim),
		Table: &bench.Table{Columns: []string{"set", "method", "‖UᵀU − I‖", "alone", "pixels", "one patch"}},
	}
	for _, s := range faceSets {
		for _, dim := range faceDims {
			row := []bench.Cell{bench.PlainCell(s.title), bench.PlainCell(fmt.Sprint(dim))}
			for _, method := range faceMethods {
				row = append(row, r.ErrorCell(facesName(s, method, dim), "nn"))
			}
			errors.Table.Rows = append(errors.Table.Rows, append(row, r.ErrorCell(facesRaw(s), "nn")))
		}
		for _, pair := range facePairs {
			name := basesName(s, pair[0])
			bases.Table.Rows = append(bases.Table.Rows, []bench.Cell{bench.PlainCell(s.title), bench.PlainCell(pair[0]), r.QualityCell(name, "orthogonality", "%.2f"), r.QualityCell(name, "alone", "%.2f"), r.QualityCell(name, "pixels", "%.0f"), r.QualityCell(name, "patch", "%.2f")})
		}
	}
	return []bench.Section{errors, bases}
}
