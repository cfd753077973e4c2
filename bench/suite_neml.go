package bench

import "slices"

// nemlPaper names the source of this suite's claims.
const nemlPaper = "Wang, Zhang, Pattern Recognition 43, 2010"

// nemlSuite measures what the paper on NEML shows.
var nemlSuite = Suite{
	Name:  "neml",
	Title: "Nonlinear embedding preserving multiple local-linearities",
	About: `The figures and tables of the paper that introduced NEML, on the same data where it is to be had, with our number beside the paper's. Most of the paper's figures are curves and pictures without numbers; there the claim is what the text says of them.

The swiss rolls are drawn by our own definition, so that single values depend on the draw; where a claim is about an ordering it is checked on two draws. dev is eq. 7.1 against the roll's own coordinates (height and angle), of which no map that keeps lengths is an affine image: about 0.023 is the best that can be had.

Not everything can be checked: the rolling hands (Fig. 9) are not at hand, the faces are 32 × 32 where the paper has 64 × 64, and which 600 digits of each class the paper took of USPS it does not say.`,
	Cases: func(e *Env) []Case {
		return slices.Concat(nemlWeightCases(), nemlPlanarCases(), nemlHoleCases(), nemlPeakCases(), nemlTumourCases(), nemlFaceCases(), nemlNewsCases(e), nemlDigitCases(e))
	},
	Claims: slices.Concat(nemlWeightClaims, nemlSheetClaims, nemlTumourClaims, nemlNewsClaims, nemlDigitClaims, nemlFaceClaims),
	Sections: func(r *Records) []Section {
		return slices.Concat(nemlWeightSections(r), nemlSheetSections(r), nemlTumourSections(r), nemlNewsSections(r), nemlDigitSections(r), nemlFaceSections(r))
	},
}

// nemlGammas are the γ of Fig. 5.
var nemlGammas = []float64{1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
