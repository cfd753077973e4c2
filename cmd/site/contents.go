package main

// chapter is pages that stand together in the navigation.
type chapter struct {
	title string
	pages []entry
}

// entry is a page by its Markdown file, with the name that leads to it.
type entry struct{ file, name string }

// contents are all pages, in the order of the navigation.
var contents = []chapter{
	{"Start", []entry{
		{"README.md", "Overview"},
		{"docs/tutorial.md", "Tutorial"},
		{"docs/choosing.md", "Choosing a method"},
		{"docs/pictures.md", "Pictures"},
	}},
	{"Methods", []entry{
		{"docs/methods/README.md", "All methods"},
		{"docs/methods/maps.md", "Maps: UMAP, t-SNE, PaCMAP"},
		{"docs/methods/linear-projections.md", "Linear projections"},
		{"docs/methods/local-weights.md", "Local weights: LLE, NEML"},
		{"docs/methods/tangent-spaces.md", "Tangent spaces: LTSA, HLLE"},
		{"docs/methods/graphs-and-paths.md", "Graphs and paths"},
		{"docs/methods/clusterings.md", "Clusterings"},
		{"docs/methods/pursuit.md", "Pursuit: LNP, SMCE"},
		{"docs/methods/nmf.md", "Nonnegative factorisations"},
		{"docs/methods/robust-nmf.md", "Robust factorisations"},
		{"docs/methods/graph-nmf.md", "Factorisations with a graph"},
		{"docs/methods/robust-alignment.md", "Robust patch alignment"},
		{"docs/methods/orthonormal-indicators.md", "Orthonormal indicators"},
		{"docs/methods/selective.md", "Selective factorisations"},
		{"docs/methods/nonnegative-embeddings.md", "Nonnegative embeddings"},
		{"docs/methods/nonnegative-projections.md", "Nonnegative projections"},
		{"docs/methods/exemplars.md", "Exemplars"},
	}},
	{"Guides", []entry{
		{"docs/clustering.md", "Clustering"},
		{"docs/factorisations.md", "Factorising"},
		{"docs/restarts.md", "Factorising many times"},
		{"docs/nonnegative.md", "Nonnegative coordinates"},
		{"docs/noise.md", "Noise"},
		{"docs/missing.md", "Missing entries"},
		{"docs/graphs.md", "Graphs and distances"},
		{"docs/weights.md", "Weights"},
		{"docs/quality.md", "Is a result right?"},
		{"docs/measures.md", "Measures"},
		{"docs/batch.md", "Many jobs"},
		{"docs/large-data.md", "Large data"},
	}},
	{"From a program", []entry{
		{"docs/linking.md", "Go, C, C++, Python and R"},
		{"docs/python.md", "Python"},
		{"docs/accel.md", "scikit-learn, umap-learn and others"},
		{"docs/solvers.md", "Solvers"},
		{"docs/formats.md", "File formats"},
		{"docs/model-format.md", "Model files"},
	}},
	{"Evidence", []entry{
		{"docs/speed.md", "Speed"},
		{"docs/figures.md", "How it was measured"},
		{"docs/reproducible.md", "The same bits"},
		{"docs/reproduction.md", "Every claim"},
	}},
	{"Project", []entry{
		{"docs/architecture.md", "Architecture"},
		{"CONTRIBUTING.md", "Contributing"},
		{"docs/releasing.md", "Releases"},
		{"CHANGELOG.md", "Changes"},
		{"SECURITY.md", "Security"},
		{"docs/licences.md", "Licences"},
	}},
}
