// Package nmf factorises nonnegative data: D ≈ Y·C with Y, C ≥ 0, under the
// losses of the NMF family (squared error, Kullback–Leibler, L2,1, correntropy)
// and with a graph term that keeps neighbouring samples' coordinates together:
//
//	min Σ Pᵢⱼ (D − YC)²ᵢⱼ + λ tr(YᵀΦY)
//
// [Factorize] finds both factors, [Encode] the coordinates of new samples under
// given components. [Data] is dense, or sparse and then never made dense.
//
// # Orientation
//
// Samples are rows, as everywhere in this project: D is n × m, the coordinates Y
// n × r, the components C r × m. Papers put samples in columns, X ≈ W·H with X
// m × N. Their X is our Dᵀ, their basis W our Cᵀ and their codes H our Yᵀ.
// (scikit-learn calls our Y «W» and our C «H».) One iteration is, as in the papers,
// a step of C, then a step of Y with the new C. Comments that cite an equation
// speak of C and Y.
//
// # The family
//
//	NMF, NMF-KL       Options{}, Loss KL                       Lee and Seung 2001
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
// cache. One pass over a block computes its rows of D·Cᵀ, updates its rows of Y and
// adds its share of YᵀD, which is what the next step of C needs: the data pass
// through the cache once an iteration. Chunks are computed side by side, their
// shares added in order. Nothing depends on the number of threads.
package nmf
