package metrics

import (
	"context"

	"github.com/orthant-go/orthant/engine/measures"
)

// noteNoise says which share of the samples is noise, which a metric of clusters leaves out.
func (in *Inputs) noteNoise(v *Value) {
	labels := in.Classes["predicted"]
	if !measures.IsNoise(labels) {
		return
	}
	noise := 0
	for _, l := range labels {
		if l == measures.Noise {
			noise++
		}
	}
	v.Details = map[string]any{"noise": float64(noise) / float64(len(labels))}
}

// labellings returns classes and clusters, without noise if the settings leave it out.
func (in *Inputs) labellings(v *Value) (truth, predicted []int64) {
	truth, predicted = in.Classes["labels"], in.Classes["predicted"]
	if in.Set["noise"] != "leave-out" || len(truth) == 0 {
		return truth, predicted
	}
	all := len(truth)
	truth, predicted, noise := measures.WithoutNoise(truth, predicted)
	v.Details = map[string]any{"noise": float64(noise) / float64(all)}
	return truth, predicted
}

func measureSilhouette(ctx context.Context, in *Inputs, v *Value) (float64, error) {
	s, err := measures.Silhouette(ctx, in.Matrices["in"], in.Classes["predicted"], in.Set["distances"] == "simplified", in.measuring())
	if err != nil {
		return 0, err
	}
	v.Details = map[string]any{"clusters": s.Labels, "of_cluster": s.OfCluster}
	if s.Noise > 0 {
		v.Details["noise"] = float64(s.Noise) / float64(len(s.Of))
	}
	return s.Mean, nil
}

func measureDensity(ctx context.Context, in *Inputs, v *Value) (float64, error) {
	labels := in.Classes["predicted"]
	s, err := measures.DensityValidity(ctx, in.Matrices["in"], labels, in.measuring())
	if err != nil {
		return 0, err
	}
	v.Details = map[string]any{"clusters": s.Labels, "of_cluster": s.OfCluster}
	if s.Noise > 0 {
		v.Details["noise"] = float64(s.Noise) / float64(len(labels))
	}
	return s.Value, nil
}
