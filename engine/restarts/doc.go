// Package restarts combines many factorisations of one matrix. It finds
// the components that they have in common ([FindConsensus]), measures how consistently they group the
// samples ([CopheneticCorrelation]), and finds the rank whose runs best predict hidden entries
// ([ChooseRank]). It takes plain numbers from any source; engine.FactorizeRuns makes
// many runs at once. docs/restarts.md explains the results.
package restarts
