// Package measures implements the quality measures of the papers: how well an embedding
// recovers known coordinates ([Deviation]), preserves neighbourhoods
// ([Trustworthiness], [Continuity], [MRRE], [LCMC], [Nalac], [SoftNalac]) and distances
// ([RandomTriplet], [CentroidTriplet], [DistanceCorrelation], [ResidualVariance], t-SNE's
// [KLDivergence]), how far two embeddings differ ([Procrustes]), how well
// clusters match classes ([Accuracy], [Misclassification], [NMI], [AMI], [AdjustedRand]), how compact
// and separate clusters are ([Silhouette], [DaviesBouldin], [CalinskiHarabasz], [DensityValidity]), how pure neighbourhoods
// are ([BadNeighborsOf]), how well classes can be
// separated ([ROC], [ClassifyNN], [ClassifyNFL], over random splits
// [HolisticErrors]), and the relative error of a factorisation ([Reconstruction]).
//
// Matrices have one sample in each row. Every function checks its input: shapes that
// do not match, NaN and infinities, and inputs for which a measure is
// undefined are errors, and no measure is ever NaN. Long computations take a context
// and [Options]. Results do not depend on the number of threads, nor, except for the
// rounding of [Reconstruction], on the backend.
package measures
