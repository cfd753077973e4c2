// Package measures holds the quality measures of the papers: how much of the
// truth an embedding keeps ([Deviation]), whether it keeps neighbourhoods
// ([Trustworthiness], [Continuity], [MRRE], [LCMC], [Nalac], [SoftNalac]) and distances
// ([RandomTriplet], [CentroidTriplet], [DistanceCorrelation], [ResidualVariance], t-SNE's
// [KLDivergence]), how far it is from another one ([Procrustes]), how well
// clusters match classes ([Accuracy], [Misclassification], [NMI]), how far neighbourhoods
// break them ([BadNeighborsOf]), how well classes can be
// separated ([ROC], [ClassifyNN], [ClassifyNFL], over random splits
// [HolisticErrors]), and what a factorisation leaves ([Reconstruction]).
//
// Matrices hold one sample a row. Every function checks its input: shapes that
// do not match, NaN and infinities, and inputs for which a measure is not
// defined are errors, and no measure is ever NaN. What takes long takes a context
// and [Options]. Results do not depend on the number of threads, nor, but for the
// rounding of [Reconstruction], on the backend.
package measures
