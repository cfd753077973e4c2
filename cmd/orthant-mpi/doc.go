// Command orthant-mpi is "orthant embed" for one data set on several machines: the samples,
// the alignment matrix and its factor are shared among the processes of MPI.
//
//	mpirun -n 8 orthant-mpi embed --method ltsa --in x.npy --neighbors 12 --out y.npy
//
// It is built with the tag mpi and a C compiler against SLEPc, PETSc with MUMPS, and Open MPI
// (Debian: slepc-dev, openmpi-bin):
//
//	make build-mpi
//
// Every process reads rows of its own. Their neighbours are found among blocks of rows that go
// round all processes, or read from a graph file, and the engine computes the patches
// ([engine.Share]). PETSc adds them up, MUMPS factors the sum, and SLEPc finds the lowest
// eigenvectors by shift and invert. docs/large-data.md says what fits where.
package main
