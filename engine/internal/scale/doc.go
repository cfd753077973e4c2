// Package scale estimates the best scale for examining samples near a surface: the noise off the
// surface, its curvature, and a number of neighbours between the two. With that it
// moves noisy samples onto the surface.
//
// The covariance of a sample and its k nearest has d large eigenvalues, which belong to the tangent
// space, and a remainder. As a function of k, the remainder is σ² + c·T², where σ² is the variance of
// the noise off the surface, T that of the neighbours along it, and c depends on the curvature (Little,
// Maggioni, Rosasco 2017, Multiscale geometric methods for data sets I; their test of the
// dimension by local singular values over growing balls is applied here to the noise). If
// little noise is found, or the remainder follows another law, as in most real data, nothing
// is moved.
package scale
