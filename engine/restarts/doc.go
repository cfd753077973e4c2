// Package restarts has what many factorisations of one matrix say together, which one alone does not:
// the components that they have in common ([FindConsensus]), how much they agree on which samples
// belong together ([CopheneticCorrelation]), and the rank whose runs best predict entries that they did
// not see ([ChooseRank]). It takes plain numbers, whoever made the runs: engine.FactorizeRuns makes
// many at once. docs/restarts.md says how to read the results.
package restarts
