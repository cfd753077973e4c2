// Package nmf factorizes nonnegative data: X ≈ WH with W, H ≥ 0, under the
// losses of the NMF family (squared error, Kullback–Leibler, β-divergences, the negative binomial, Huber's, L2,1, correntropy)
// and with a graph term that keeps neighbouring samples' coordinates together:
//
//	min Σ Pᵢⱼ (X − WH)²ᵢⱼ + λ tr(WᵀΦW)
//
// Entries may have weights, and those that are missing the weight 0 ([Weights]).
//
// [Factorize] finds both factors, [Encode] the coordinates of new samples under
// given components. [Data] is dense, or sparse and then never made dense, whatever the
// loss, except with dense weights.
// [NonnegativeLeastSquares] solves min ‖Ax − b‖ over x ≥ 0 for an A of any sign.
//
// # Orientation
//
// Samples are rows, as everywhere in this project: X is n × m, the coordinates W
// n × r (a row a sample), the components H r × m (a row a component), Φ n × n. Hᵀ is
// stored in addition to H. The names follow scikit-learn. Papers put samples in columns,
// X ≈ WH with X m × N: their X is our Xᵀ, their basis W our Hᵀ and their codes H our
// Wᵀ. One iteration is, as in the papers, a step of the basis, then a step of the codes:
// of H, then of W with the new H. Comments that cite an equation use our names.
//
// # The family
//
//	NMF, NMF-KL       Options{}, Loss KL                       Lee and Seung 2001
//	β-NMF             Loss Beta, Beta β                        Févotte and Idier 2011
//	NB-MF             Loss NegativeBinomial, Dispersion φ      Gouvert et al. 2020
//	Huber             Loss Huber, Threshold δ                  Huber 1981
//	MinVol            HALS, SumToOne, Volume v                 Leplat et al. 2020
//	smooth parts      Smooth s                                 smooth.go
//	GNMF              Graph L = D − S of a kNN graph, λ = 100  Cai et al. 2011
//	NPAF, NDLA        Graph: any alignment matrix, λ = γ/2     Guan et al. 2011
//	L2,1-NMF          Loss L21                                 Kong et al. 2011
//	CIM-NMF           Loss Correntropy                         Du et al. 2012
//	CIM-GNMF          Loss Correntropy, Graph D − S
//	LP-RNA, SP-RNA    Loss Correntropy, Graph: their own       You et al. 2015
//
// # How an iteration runs
//
// The samples are cut into chunks and these into blocks that fit the second-level
// cache. One pass over a block computes its rows of X·Hᵀ, updates its rows of W and
// adds to the partial sum of WᵀX, which the next step of H needs: the data pass
// through the cache once an iteration. Chunks are computed side by side, their
// partial sums added in order. Nothing depends on the number of threads.
//
// # A new loss
//
// A loss is one [Loss]: its name, the solvers it allows, its updates (step and
// objective), how it encodes new samples, the memory it needs. A new one is a file with
// that value and its updates, and a row at the end of the table losses (loss.go). Nothing
// else asks which loss it has. A loss that is a sum over the entries has its updates already: it is a
// separableRule (separable.go).
package nmf
