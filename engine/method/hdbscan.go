package method

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/density"
)

// HDBSCAN finds clusters of any form and density, and their number, and leaves samples between them out (Campello, Moulavi and
// Sander 2013; McInnes and Healy 2017): the components of mutual reachability at all distances form a tree, from which the most
// stable are chosen. About O(n log n) in few columns, O(n²m) in many.
type HDBSCAN struct {
	MinClusterSize          int      `json:"min_cluster_size" default:"5" allowed:"≥ 2" doc:"the fewest samples of a cluster; the parameter that matters most: the smallest group of interest"`
	MinSamples              *int     `json:"min_samples" default:"auto" allowed:"≥ 1" doc:"a sample is as dense as the distance to this many samples says, itself included; more leave more samples out; auto: min_cluster_size"`
	ClusterSelectionMethod  string   `json:"cluster_selection_method" default:"eom" allowed:"eom|leaf" doc:"clusters are the most stable components (the excess of mass), or those that contain no other, which are smaller and more"`
	ClusterSelectionEpsilon float64  `json:"cluster_selection_epsilon" default:"0" allowed:"≥ 0" doc:"clusters that separate below this distance stay together; 0: none"`
	MaxClusterSize          *int     `json:"max_cluster_size" default:"none" allowed:"≥ 1" doc:"the most samples of a cluster, for eom; none: any number"`
	AllowSingleCluster      bool     `json:"allow_single_cluster" default:"false" doc:"all samples may form the only cluster"`
	CutDistance             *float64 `json:"cut_distance" default:"none" allowed:"≥ 0" doc:"clusters are the components at this distance, as of DBSCAN without border samples; none: they are chosen from all distances"`
	Layers                  int      `json:"layers" default:"0" allowed:"from 0 to 1000" doc:"the most layers that are found too: clusterings of other resolutions that persist over many values of min_cluster_size"`
	Memberships             bool     `json:"memberships" default:"false" doc:"find how likely each sample is in each of the clusters, too"`
}

// Name returns "hdbscan".
func (HDBSCAN) Name() string { return "hdbscan" }

func (p HDBSCAN) row() Row {
	return Row{GraphOnly: onlyGraph, Cluster: p.grouping, FindsClusters: true, sparse: true, Check: p.check,
		Units: Units{Parameters: map[string]float64{"cluster_selection_epsilon": 1, "cut_distance": 1}}}
}

func (p HDBSCAN) minSamples() int {
	if p.MinSamples != nil {
		return *p.MinSamples
	}
	return p.MinClusterSize
}

func (p HDBSCAN) check(n, _ int) error {
	if p.MinClusterSize > n {
		return fmt.Errorf("hdbscan: clusters of at least %d of %d samples; give a min_cluster_size of at most %d", p.MinClusterSize, n, n)
	}
	if p.minSamples() > n {
		return fmt.Errorf("hdbscan: the distance to %d of %d samples; give min_samples of at most %d", p.minSamples(), n, n)
	}
	if p.Memberships && p.CutDistance != nil {
		return wording.Errorf("hdbscan: memberships are in chosen components, and there are none with ‹cut_distance›; leave it or ‹memberships› out")
	}
	return nil
}

func (p HDBSCAN) grouping(int) Grouping {
	d := cluster.Density{MinSamples: p.minSamples(), MinSize: p.MinClusterSize, Cut: p.CutDistance, Layers: p.Layers, Memberships: p.Memberships,
		Select: density.SelectOptions{Method: p.ClusterSelectionMethod, Epsilon: p.ClusterSelectionEpsilon, AllowSingle: p.AllowSingleCluster}}
	if p.MaxClusterSize != nil {
		d.Select.MaxSize = *p.MaxClusterSize
	}
	return Grouping{Plan: cluster.Plan{
		Groups:    d.Find,
		NoneFound: "take a smaller min_cluster_size or min_samples, or allow_single_cluster if they may be one",
		Neighbors: neighborhood.Reachable{MinSamples: p.minSamples()},
		Within:    cluster.PursuitWithin(12),
	}, Embed: byPCA}
}
