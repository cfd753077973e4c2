package measures

import "fmt"

// Nalac compares the neighbour lists that a method chose in the data (first)
// and in the embedding (second), rank by rank (Chen, Lv and Yi 2014): with s
// and t the lengths of the two lists of a point, the mean over all points of
//
//	(1/min(s, t)) · #{j ≤ min(s, t): the j-th neighbours agree}
//
// Lists are in increasing distance. A point with an empty list contributes 0.
// Errors are about different numbers of lists, and lists with an index outside
// 0…n−1 or twice the same. Time is linear in the lists.
func Nalac(first, second [][]int) (float64, error) {
	return meanOverLists("nalac", first, second, func(a, b []int, _ []bool) float64 {
		short := min(len(a), len(b))
		agree := 0
		for j := range short {
			if a[j] == b[j] {
				agree++
			}
		}
		return float64(agree) / float64(short)
	})
}

// SoftNalac compares the same lists as sets: the mean over all points of
// |first ∩ second| / max(s, t). Errors as in [Nalac]. It tends to 1 by itself
// as lists of k nearest neighbours grow towards all points: compare at small k.
func SoftNalac(first, second [][]int) (float64, error) {
	return meanOverLists("soft-nalac", first, second, func(a, b []int, firstHas []bool) float64 {
		common := 0
		for _, j := range b {
			if firstHas[j] {
				common++
			}
		}
		return float64(common) / float64(max(len(a), len(b)))
	})
}

// meanOverLists checks the lists and averages score over the points; firstHas
// tells score which indices are in the first list.
func meanOverLists(measure string, first, second [][]int, score func(a, b []int, firstHas []bool) float64) (float64, error) {
	n := len(first)
	if n == 0 || n != len(second) {
		return 0, fmt.Errorf("%s: %d lists of neighbours in the data and %d in the embedding, want one of each for every point", measure, n, len(second))
	}
	firstHas, secondHas := make([]bool, n), make([]bool, n)
	sum := 0.0
	for i := range first {
		if err := mark(first[i], firstHas); err != nil {
			return 0, fmt.Errorf("%s: neighbours of point %d in the data: %w", measure, i, err)
		}
		if err := mark(second[i], secondHas); err != nil {
			return 0, fmt.Errorf("%s: neighbours of point %d in the embedding: %w", measure, i, err)
		}
		if len(first[i]) > 0 && len(second[i]) > 0 {
			sum += score(first[i], second[i], firstHas)
		}
		for _, j := range first[i] {
			firstHas[j] = false
		}
		for _, j := range second[i] {
			secondHas[j] = false
		}
	}
	return sum / float64(n), nil
}

// mark sets the entries of a list in has, where none of them is set yet.
func mark(list []int, has []bool) error {
	for _, j := range list {
		if j < 0 || j >= len(has) {
			return fmt.Errorf("index %d of %d points", j, len(has))
		}
		if has[j] {
			return fmt.Errorf("index %d is listed twice", j)
		}
		has[j] = true
	}
	return nil
}
