// Package pipeline joins the four steps of an embedding: neighbourhoods, patches, their
// alignment, and the solve, with the rule for new samples. [Steps] are a method's choices;
// [Steps.Run] takes all but the first.
package pipeline
