// Package pipeline runs the four steps of an embedding (neighbourhoods, patches, alignment, solve)
// and makes the rule for new samples. [Steps] holds the choices of a method. [Steps.Run] takes the steps
// after the search for neighbours.
package pipeline
