// Package lasso finds sparse codes of a sample by others. They are exact, by active sets:
// [AffineLasso] has weights that sum to 1, [RobustLasso] tolerates outlying coordinates,
// [AffineCoder] solves a linear programme, [DictionaryLasso] only needs inner products, and
// [ElasticNet] only the Gram matrix ([LeaveOneOut] gives it a start). Each reports how exact
// its result is.
package lasso
