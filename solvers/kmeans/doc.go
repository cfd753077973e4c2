// Package kmeans partitions points into clusters of small Σ‖x − its centre‖². [KMeans] starts
// Lloyd's iteration from centres of its own several times over; [KMeansFrom] starts it from
// given centres, and [KMeansGreedy] from given draws.
package kmeans
