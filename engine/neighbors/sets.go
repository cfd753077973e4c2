package neighbors

// setMeasure is a distance of two sets of columns, those that are not zero: how many columns
// are in both, in either, and there are. It is 0 where a share is one of nothing.
type setMeasure func(common, a, b, columns int) float64

// setMeasures are the metrics of sets, in SciPy's definitions.
var setMeasures = map[Metric]setMeasure{
	Jaccard: func(common, a, b, _ int) float64 { return share(a+b-2*common, a+b-common) },
	Dice:    func(common, a, b, _ int) float64 { return share(a+b-2*common, a+b) },
	RogersTanimoto: func(common, a, b, columns int) float64 {
		differ := a + b - 2*common
		return share(2*differ, columns+differ)
	},
	RussellRao: func(common, _, _, columns int) float64 { return share(columns-common, columns) },
	SokalMichener: func(common, a, b, columns int) float64 {
		differ := a + b - 2*common
		return share(2*differ, columns+differ)
	},
	SokalSneath: func(common, a, b, _ int) float64 {
		differ := a + b - 2*common
		return share(2*differ, common+2*differ)
	},
	Yule: func(common, a, b, columns int) float64 {
		odd := float64(a-common) * float64(b-common)
		if odd == 0 {
			return 0
		}
		return 2 * odd / (float64(common)*float64(columns-a-b+common) + odd)
	},
	Kulsinski: func(common, a, b, columns int) float64 {
		differ := a + b - 2*common
		return share(differ-common+columns, differ+columns)
	},
}

func share(part, whole int) float64 {
	if part == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
