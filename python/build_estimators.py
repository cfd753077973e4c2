"""Generates the parts of the package that come from the library's table of methods: a scikit-learn class for every method, and the names for editors.

    make python                                    # into python/orthant, which git ignores
    python3 python/build_estimators.py [LIBRARY]   # the same, with an existing library

estimators.py has the classes. __init__.pyi lists everything in the package, because editors do not follow classes
that are loaded on first use. Methods, parameters, defaults and their meaning come from the library, names from the
tables here. A new method gets a class without being named here: its name in capitals, or the words of its title if
they form its name. Only the standard library is needed.
"""

import ast
import ctypes
import json
import os
import re
import sys
import textwrap

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "orthant")

# The generated files.
FILES = ("estimators.py", "__init__.pyi")

# Class names for methods where the rule of class_name would give a name that nobody looks for.
NAMES = {
    "mds": "ClassicalMDS",
    "isomap": "Isomap",
    "ltsa-curvature": "CurvatureLTSA",
    "le": "LaplacianEigenmaps",
    "nmf-beta": "NMFBeta",
    "olpp-cai": "OLPPCai",
    "kmeans": "KMeans",
    "spectral": "SpectralClustering",
    "leiden": "Leiden",
    "smrmf-euc": "SMRMFEuc",
    "f-smrmf": "FSMRMF",
    "pacmap": "PaCMAP",
}

# scikit-learn's names of parameters that it has, and names that Python allows.
PARAMETERS = {
    "neighbors": "n_neighbors",
    "dim": "n_components",
    "iterations": "max_iter",
    "tolerance": "tol",
    "restarts": "n_init",
    "lambda": "lam",
}

# Maps: the programs that people know them by, and what these call the parameters, by the library's keys.
PROGRAMS = {"umap": "umap-learn", "tsne": "openTSNE and scikit-learn", "pacmap": "pacmap"}
ORIGINALS = {
    "umap": {
        "epochs": "n_epochs",
        "negatives": "negative_sample_rate",
        "mix": "set_op_mix_ratio",
        "connectivity": "local_connectivity",
        "repulsion": "repulsion_strength",
        "rate": "learning_rate",
    },
    "tsne": {"early_iterations": "early_exaggeration_iter", "rate": "learning_rate"},
    "pacmap": {"mid_near": "MN_ratio", "further": "FP_ratio", "iterations": "num_iters", "rate": "lr"},
}

# Further names of a parameter: (the parameter, another whose value is added to what is given, or None).
ALIASES = {"tsne": {"n_iter": ("max_iter", "early_exaggeration_iter"), "angle": ("theta", None), "initialization": ("init", None)}, "pacmap": {"distance": ("metric", None)}}

# Parameters that count the sample itself as one of its neighbours, which the library does not.
ITSELF = {"umap": ("n_neighbors",)}

# Methods that choose their neighbours among the lists of a graph, if these are longer.
CHOOSING = {"pacmap"}

# A number of the library that is 0 or more, as two parameters: whether it counts, and the number, with its default.
SWITCHES = {("umap", "density"): ("densmap", "dens_lambda", 2.0, "Whether the map keeps the densities of the data, too (densMAP).", "How much densities count with densmap=True (≥ 0).")}

# Where n_components is the first parameter and n_neighbors the second.
COMPONENTS_FIRST = {"pacmap"}

# Methods that search for neighbours whose number follows from other parameters.
SEARCHING = {"tsne"}

# Methods that learn from classes where they are given.
SEMISUPERVISED = {"umap"}

# What standardize means, with a default that is none and a warning.
STANDARDIZE = (
    "First brings the data to a common scale: each column minus its mean, divided by its standard deviation (\"standard\"), to [0, 1] "
    '("minmax"), or minus its median, divided by the distance of its quartiles ("robust"), with the inverse hyperbolic sine of that ("asinh"); each row to length 1 ("unit"); or log(1 + v) of each '
    'entry ("log1p"), or of counts divided by the sum of their row ("counts"). New samples are scaled in the same way. None: "none", with a warning where the columns differ much.'
)

# Defaults that differ from the library's, with their kind and meaning. scikit-learn's
# methods warn of a disconnected graph and go on; the command refuses it.
DEFAULTS = {
    ("embed", "denoise"): (
        None,
        '{"auto", "off"}, int or None, default=None',
        "Removes noise first: moves each sample onto a plane of n_components dimensions fitted to this many of its nearest neighbours "
        '("auto": only if that is certain to help, with a number found from the data). None: "auto" with n_neighbors="auto" '
        'or a radius, otherwise "off".',
    ),
    ("embed", "standardize"): (
        None,
        '{"none", "standard", "minmax", "unit", "robust", "log1p", "counts", "asinh"} or None, default=None',
        STANDARDIZE,
    ),
    ("factorize", "standardize"): (
        None,
        '{"none", "standard", "minmax", "unit", "robust", "log1p", "counts", "asinh"} or None, default=None',
        STANDARDIZE,
    ),
    ("cluster", "standardize"): (
        None,
        '{"none", "standard", "minmax", "unit", "robust", "log1p", "counts", "asinh"} or None, default=None',
        STANDARDIZE,
    ),
    ("embed", "components"): (
        "joint",
        '{"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"',
        'If the neighbour graph has several components: "joint": solve the problem as it stands, with a warning; '
        '"auto": "each" or "bridge", whichever suits the method and the components, with a warning; "error": refuse; '
        '"largest": embed the largest component (the other rows are NaN); "each": embed each on its own, side by side; '
        '"bridge": link the components by their shortest edges.',
    ),
    ("lnp", "components"): (
        "bridge",
        '{"bridge", "auto", "error", "largest", "each", "joint"}, default="bridge"',
        'If the neighbour graph has several components: "bridge": embed each on its own and lay them out along the shortest edges '
        'between them, with a warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning; "error": refuse; "largest": embed the largest component (the other rows are NaN); '
        '"each": embed each on its own, side by side; "joint": solve the problem as it stands.',
    ),
    ("isomap", "components"): (  # for which "joint" means nothing
        "bridge",
        '{"bridge", "auto", "error", "largest", "each"}, default="bridge"',
        'If the neighbour graph has several components: "bridge": link them by their shortest edges, with a warning; "auto": "bridge", or "each" where there are no samples; "error": '
        'refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each on its own, side by side '
        "(there is then no rule for new samples).",
    ),
    ("dsmf", "n_clusters"): (2, "int, default=2", "The clusters to find, at most the columns of the samples."),
    ("lda", "n_components"): (
        None,
        "int or None, default=None",
        "D, the columns of the embedding. None: one fewer than the classes, at most the columns of the samples.",
    ),
}

# Of maps, whose parameters have the meaning and the defaults of the original programs.
MAP_COMPONENTS = (
    "auto",
    '{"auto", "joint", "error", "largest", "each", "bridge"}, default="auto"',
    'If the neighbour graph has several components: "auto" and "joint": one map of all, in which repulsion parts them; "error": refuse; "largest": map the largest '
    'component (the other rows are NaN); "each": map each on its own, side by side; "bridge": link the components by their shortest edges.',
)
DEFAULTS.update({(method, "components"): MAP_COMPONENTS for method in PROGRAMS})
DEFAULTS.update({
    ("umap", "n_neighbors"): (
        15,
        "int, default=15",
        "The neighbours of each sample, with the sample itself as in umap-learn: one more than the neighbors of orthant.embed (≥ 2). Fewer show finer structure, more the whole.",
    ),
    ("umap", "n_epochs"): (None, "int or None, default=None", "How often the edges are gone through (≥ 1). None: 500 up to 10 000 samples, 200 of more, and 200 besides with densmap=True."),
    ("umap", "target_weight"): (
        0.5,
        "float, default=0.5",
        "How much the classes count that fit takes as y: not at all (0: y is ignored), half (0.5), or alone (1). Without y it does nothing.",
    ),
    ("tsne", "max_iter"): (750, "int, default=750", "The number of steps, with the early ones, as in scikit-learn (≥ 1)."),
    ("tsne", "learning_rate"): (
        "auto",
        'float or "auto", default="auto"',
        "The length of steps, for the gradient without its factor 4, as in openTSNE (> 0). scikit-learn has the factor: its 200 is 800 here. "
        '"auto": the number of samples over the exaggeration, at least 200.',
    ),
    ("pacmap", "num_iters"): (450, "int, default=450", "The number of steps in all (≥ 1): 100 each for the first two phases, or two ninths each of fewer than 450."),
})
START = " An array of shape (n_samples, n_components): the start itself, which is taken as it is."

# What n_components=None stands for, of methods whose class in scikit-learn takes it. (_base.py counts.)
WHOLE = {
    "pca": "None: the largest possible, the lesser of n_samples - 1 and n_features.",
    "nmf": "None: n_features.",
    "nmf-kl": "None: n_features.",
}

# Numbers that an embedding can find from the samples.
FOUND = {
    "n_components": '"auto": the intrinsic dimension of the samples, estimated from them.',
    "n_neighbors": '"auto": the default number, or fewer if neighbourhoods would reach other sheets.',
}

# The meaning of X if it is not samples, by whether it can be a graph.
PRECOMPUTED = {
    False: '"precomputed": X is a full array of distances, n × n.',
    True: '"precomputed": X is not samples but the distances between them: a sparse n × n matrix of the distances of each sample to its neighbours, such as '
    'KNeighborsTransformer(mode="distance") makes (stored zeros are distances of zero, unstored entries are not neighbours, the sample itself does '
    "not count; all stored neighbours are taken, or the n_neighbors nearest if that is not at its default), or a full array, in which "
    "the n_neighbors nearest are found. There is then no rule for new samples.",
}
# The metric of methods that search for the nearest samples.
METRIC = (
    "The metric by which the nearest samples are found: one of those of orthant.neighbors, also under the names of scikit-learn and SciPy. "
    "Weights and paths are made of its distances; what else is made of the samples is Euclidean. New samples are compared by it, too."
)
AFFINITY = (
    '"precomputed": X is not samples but a symmetric n × n matrix of the weights of the edges between them, sparse or full; n_neighbors does '
    "nothing, and parameters that make weights are errors. There is then no rule for new samples."
)

# The shared parameters that do nothing where there is no neighbour graph, and where nothing says how many neighbours.
OF_GRAPHS = {"components", "recall"}
OF_NEIGHBORS = {"landmarks", "landmark_choice", "radius"}

BASES = {"embed": "Embedding", "factorize": "Factorization", "cluster": "Clustering"}


def class_name(method, task):
    words = method["title"].split()
    if "-".join(words).lower() == method["name"]:
        name = "".join(word[0].upper() + word[1:] for word in words)
    else:
        name = NAMES.get(method["name"], method["name"].upper().replace("-", ""))
    return name if task == method["tasks"][0] else name + "Clustering"


def parameter_name(method, key):
    """Returns what a parameter is called here."""
    return ORIGINALS.get(method, {}).get(key) or PARAMETERS.get(key, key)


CERTIFIED = "Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and searches for any that was missed: certificate_ has the count."
CERTIFICATE = ("certificate_ : dict or None", 'With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known" were found (docs/solvers.md).')


def parameters_of(method, task):
    """Returns the method's parameters, then the parameters of the task, as (name, key, default, text)."""
    own = [p for p in method["parameters"] if not (task == "cluster" and p["key"] == "dim")]
    own = [p for p in own if not (task == "factorize" and p["key"] == "labels")]
    first = []
    if task == "factorize":
        first.append(("n_components", "", 2, "int, default=2", "R, the components to find."))
    if task == "cluster" and not method.get("finds_clusters"):
        first.append(("n_clusters", "", 8, "int, default=8", "The clusters to find."))
    keys = {p["key"] for p in own}
    has_graph = "neighbors" in keys or method["name"] in SEARCHING
    shared = [p for p in method["shared"][task] if p["key"] != "metric" and (has_graph or p["key"] not in OF_GRAPHS) and ("neighbors" in keys or p["key"] not in OF_NEIGHBORS)]
    if task == "cluster":
        shared = [p for p in shared if p["key"] != "components"]  # for embeddings of clusters, which are not computed here
    order = {"neighbors": 0, "dim": 1}
    own = sorted(own, key=lambda p: order.get(p["key"], 2))
    rest = [q for p in own + shared for q in named(method["name"], p)]
    first, rest = ([differing(method["name"], task, p) for p in part] for part in (first, rest))
    rest.sort(key=lambda p: {"n_neighbors": 0, "n_components": -1 if method["name"] in COMPONENTS_FIRST else 1}.get(p[0], 2))
    if has_graph:
        rest.append(("neighbors_method", "neighbors_method", "auto", '{"auto", "exact", "approximate"}, default="auto"', "How the nearest samples are found. \"auto\": exactly, unless recall allows what is faster."))
    metric = [METRIC] if "graph" in method["beside_samples"] else []
    if method["instead_of_samples"]:
        metric.append(PRECOMPUTED["graph" in method["instead_of_samples"]])
    if metric:
        form = 'str, default="euclidean"' if metric[0] == METRIC else '{"euclidean", "precomputed"}, default="euclidean"'
        rest.append(("metric", "metric", "euclidean", form, " ".join(metric)))
    if "affinities" in method["instead_of_samples"]:
        rest.append(("affinity", "", "nearest_neighbors", '{"nearest_neighbors", "precomputed"}, default="nearest_neighbors"', AFFINITY))
    if task == "embed" and method["certifies"]:
        rest.append(("certified", "certified", False, "bool, default=False", CERTIFIED))
    run = [
        ("random_state", "", None, "int, RandomState or None, default=None", "The seed of whatever is random. None is the seed 1: the same fit gives the same result."),
        ("n_jobs", "", None, "int or None, default=None", "Workers; the result is the same for any number. None: all allowed cores, and one within a worker of joblib, Dask or a pool of processes; -1: all, -2: all but one."),
        ("backend", "backend", None, "str or None, default=None", "Of the linear algebra; None: $ORTHANT_BLAS, else the best one."),
        ("memory_limit", "memory", None, "int or None, default=None", "Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has available."),
        ("progress", "", False, "bool or callable, default=False", "True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with the phase and its share."),
    ]
    return first + rest + run


def named(method, p):
    """Returns a parameter of the library under the names that it has here, which are two for a switch and its number."""
    if (method, p["key"]) in SWITCHES:
        switch, number, default, whether, text = SWITCHES[method, p["key"]]
        return [(switch, "", False, "bool, default=False", whether), (number, "", default, f"float, default={default}", text)]
    return [(parameter_name(method, p["key"]), p["key"], plain(p), kind(p), meaning(p))]


def differing(method, task, p):
    """Returns a parameter with its default in Python."""
    name, key, default, _, text = p
    other = DEFAULTS.get((method, name), DEFAULTS.get((task, name)))
    if name == "n_components" and method in WHOLE:
        other = (default, f"int or None, default={default}", f"{text} {WHOLE[method]}")
    if method in PROGRAMS and name == "init":
        form, _, end = p[3].partition(", default=")
        other = (default, f"{form} or array, default={end}", p[4] + START)
    if task == "embed" and name in FOUND and p[3].startswith("int,"):  # else None or "auto" is its default
        default, form, words = other or p[2:]
        form = form.replace("int or None,", 'int, "auto" or None,') if "None" in form else form.replace("int,", 'int or "auto",')
        other = (default, form, f"{words} {FOUND[name]}")
    return (name, key, *other) if other else p


def kind(p):
    if p["type"] == "boolean":
        return f"bool, default={p['default']}"
    if p["type"] == "text":
        choices = ", ".join({"K": "int", "R": "float"}.get(c, f'"{c}"') for c in p["allowed"].split("|"))
        return f"{{{choices}}}, default={quoted(p['default'])}"
    name = {"integer": "int", "number": "float"}[p["type"]]
    if isinstance(p["default"], str):
        name += f" or {quoted(p['default'])}"
    return f"{name}, default={quoted(plain(p))}"


def meaning(p):
    text = "iterations at most" if p["key"] == "iterations" and p["meaning"] == "at most" else p["meaning"]
    if text[1:2].isalpha():  # not a symbol
        text = text[0].upper() + text[1:]
    if p["allowed"] and p["type"] != "text":
        text += f" ({p['allowed']})"
    return text + "."


def sentence(text, names):
    """Returns a summary as a sentence; one that begins with a method's name, which is among names, has that in capitals."""
    first, space, rest = text.partition(" ")
    first = first.upper() if first.rstrip(",") in names else first[:1].upper() + first[1:]
    return first + space + rest + "."


def plain(p):
    """Returns a default as Python writes it: numbers that may have a fraction as float."""
    number = p["type"] == "number" and not isinstance(p["default"], str)
    return float(p["default"]) if number else p["default"]


def quoted(value):
    return f'"{value}"' if isinstance(value, str) else repr(value)


def wrapped(text, indent):
    return textwrap.fill(text, 110, initial_indent=" " * indent, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


ATTRIBUTES = {
    "embed": [
        ("embedding_ : ndarray of shape (n_samples, n_components)", "The coordinates of the samples."),
        ("eigenvalues_ : ndarray", "Of the coordinates, where the method finds eigenvectors."),
    ],
    "factorize": [
        ("components_ : ndarray of shape (n_components, n_features)", "H, one component a row."),
        ("offset_ : ndarray of shape (n_features,)", "What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros."),
        ("reconstruction_err_ : float", "The relative error, ‖X − offset − WH‖ / ‖X − offset‖."),
    ],
    "cluster": [("labels_ : ndarray of shape (n_samples,)", "The cluster of each sample, from 0 in the order of their first samples.")],
}


# The embeddings by a projection. A test compares them with their models.
LINEAR = {"pca", "npp", "onpp", "lpp", "olpp", "olpp-cai", "lda", "mds", "npca", "nonpp", "nolpp"}
PROJECTION = [
    ("components_ : ndarray of shape (n_components, n_features)", "The projection, one axis a row; not there where X is no samples."),
    ("mean_ : ndarray of shape (n_features,)", "The mean of the samples."),
]

# The clusterings by centres, as scikit-learn's transformers.
CENTRED = {"kmeans"}

# The clusterings that use a similarity graph.
SIMILAR = {"spectral", "lnp", "smce", "esc-ffs"}
AFFINITY_MATRIX = ("affinity_matrix_ : sparse matrix of shape (n_samples, n_samples)", "The weights between samples.")

# Further attributes of single methods.
ATTRIBUTES_OF = {
    "pca": [
        ("explained_variance_, explained_variance_ratio_, singular_values_ : ndarray of shape (n_components,)", "Of the samples along the axes: the variance, its share of all, and the singular value of the centred samples."),
        ("noise_variance_ : float", "The mean variance along the directions that are left out, of score."),
    ],
    "kmeans": [
        ("cluster_centers_ : ndarray of shape (n_clusters, n_features)", "The mean of each cluster's samples."),
        ("inertia_ : float", "The sum of the squared distances of the samples to their centres."),
    ],
    "tsne": [("kl_divergence_ : float", "The Kullback-Leibler divergence of the map.")],
    "umap": [("classes_ : ndarray", "The classes that are known of samples, where fit got them and took them.")],
    "hdbscan": [
        ("probabilities_ : ndarray of shape (n_samples,)", "How firmly each sample is in its cluster, 0 to 1; 0 for samples in none."),
        ("outlier_scores_ : ndarray of shape (n_samples,)", "How far each sample is from samples as dense as those around it, 0 to 1 (GLOSH)."),
        ("condensed_tree_ : structured array", "With the fields parent, child, lambda_val and child_size, a row for each sample, and for each component but the first, which is all samples. Samples are numbered from 0, components from n_samples."),
        ("memberships_ : ndarray of shape (n_samples, n_clusters)", "With memberships=True, and if there are clusters: how likely each sample is in each; rows sum to at most 1."),
        ("layers_ : int64 array of shape (n_samples, n_layers)", "With layers > 0: the labels of each layer, the finest first; -1 for samples in no cluster."),
        ("layer_sizes_, layer_persistences_ : int64 arrays of shape (n_layers,)", "The smallest min_cluster_size with these clusters, and their total persistence."),
    ],
    "ds3": [("exemplars_ : ndarray", "The sample that stands for each cluster that has some.")],
    "esc-ffs": [("exemplars_ : ndarray", "The samples that all are coded by, in the order of choice.")],
    **{
        name: [("exemplars_ : ndarray", "The samples whose neighbourhoods regularise the factors, ascending.")]
        for name in ("smrmf", "smrmf-euc", "f-smrmf", "smrmf-ns")
    },
}


def example(method, task, name, parameters):
    """Returns the lines of an example, which a test runs."""
    lines = ["", "    Examples", "    --------", "    >>> import numpy, orthant", "    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))"]
    y = ", numpy.arange(120) % 3" if method["supervised"] else ""
    if task == "cluster":
        given = "" if method.get("finds_clusters") else "n_clusters=2"
        return [*lines, f"    >>> orthant.{name}({given}).fit_predict(x).shape", "    (120,)"]
    if task == "factorize":
        return [*lines, f"    >>> orthant.{name}(n_components=3).fit(x{y}).components_.shape", "    (3, 5)"]
    return [*lines, f"    >>> orthant.{name}(n_components=2).fit_transform(x{y}).shape", "    (120, 2)"]


def other_names(method):
    """Returns a sentence for the aliases of the parameters."""
    told = [f"{name}=v is {of}=v" + (f" + {plus}" if plus else "") for name, (of, plus) in ALIASES.get(method, {}).items()]
    return f"Other names are taken, too: {', '.join(told)}." if told else ""


def annotation(typed):
    """Returns the type of a parameter, read from its documentation."""
    before = typed.partition(", default=")[0]
    found = ["str"] if '"' in before or re.search(r"\bstr\b", before) else []
    found += [word for word in ("int", "float", "bool") if re.search(rf"\b{word}\b", before)]
    return " | ".join(found + ["Any"] * ("RandomState" in before or "array" in before) + ["None"] * ("None" in before))


def class_source(method, task, names):
    name = class_name(method, task)
    parameters = parameters_of(method, task)
    iterates = any(p[0] == "max_iter" for p in parameters)
    attributes = list(ATTRIBUTES[task])
    if task == "cluster":
        attributes += ATTRIBUTES_OF.get(method["name"], [])
        if method["name"] in SIMILAR:
            attributes.append(AFFINITY_MATRIX)
    if iterates:
        attributes.append(("n_iter_ : int", "The iterations that it took."))
    attributes.append(("report_ : dict", 'All that is known of the fit: "params", "seconds", "warnings" ... as in the command\'s --json.'))
    if task == "embed" and method["certifies"]:
        attributes.append(CERTIFICATE)
    attributes.append(("n_features_in_ : int", "The columns of the samples."))
    bases = BASES[task]
    if task == "embed" and method["extends"]:
        bases = "Principal" if method["name"] == "pca" else "Projection" if method["name"] in LINEAR else "Map" if method["name"] in PROGRAMS else "Mapping"
        attributes += (PROJECTION if method["name"] in LINEAR else []) + ATTRIBUTES_OF.get(method["name"], [])
    if task == "factorize" and not method["extends"]:
        bases = "FactorizationOnly"
    if task == "cluster" and method["predicts"]:
        bases = "Centred" if method["name"] in CENTRED else "Labelling"
    learning = task == "factorize" and any(p[1] == "batch" for p in parameters)
    mixed = "Supervised, " if method["supervised"] else ""
    if "graph" in method["beside_samples"]:
        mixed += ("Edged" if "affinities" in method["beside_samples"] else "Graphed") + ("Clustering, " if task == "cluster" else ", ")
    if learning:
        mixed = "Learning, " + mixed
    if method["name"] in SEMISUPERVISED:
        mixed = "Semisupervised, " + mixed
    lines = [f"class {name}({mixed}{bases}):"]
    title = method["title"] + (", as a clustering" if name.endswith("Clustering") and task != method["tasks"][0] else "")
    lines.append(f'    """{title}.')
    lines += ["", wrapped(sentence(method["summary"], names), 4), wrapped(f"Source: {method['source']}.", 4)]
    if method["supervised"]:
        lines += ["", "    It learns from the classes of the samples, which fit takes as y."]
    if method["name"] in SEMISUPERVISED:
        lines += ["", wrapped("fit takes classes of samples as y, of which -1 is not known. Samples of a class come closer to each other, the more so the larger target_weight is. With target_metric='euclidean' y is one number or more for each sample, and samples of near numbers come closer.", 4)]
    if method["name"] in PROGRAMS:
        lines += ["", wrapped(f"Parameters are called as in {PROGRAMS[method['name']]}. {other_names(method['name'])}".rstrip(), 4)]
    if learning:
        lines += ["", '    With solver="minibatch" it learns batch by batch, and partial_fit from samples that come little by little.']
    lines += ["", "    Parameters", "    ----------"]
    for parameter, _, _, typed, text in parameters:
        lines += [f"    {parameter} : {typed}", wrapped(text, 8)]
    lines += ["", "    Attributes", "    ----------"]
    for attribute, text in attributes:
        lines += [f"    {attribute}", wrapped(text, 8)]
    lines += example(method, task, name, parameters)
    lines += ['    """', ""]
    keys = {p[0]: p[1] for p in parameters if p[1]}
    lines += [f'    _orthant_method = "{method["name"]}"', "    _orthant_keys = {"]
    lines += [f'        "{parameter}": "{key}",' for parameter, key in keys.items()]
    lines.append("    }")
    always = [p[0] for p in parameters if p[0] == "components" and p[2] in ("joint", "bridge")]
    if always:
        lines.append(f"    _orthant_always = {tuple(always)!r}".replace("'", '"'))
    if any(p[0] == "n_components" for p in parameters) and method["name"] in WHOLE:
        lines.append("    _orthant_whole = True")
    if task == "cluster" and method["name"] in SIMILAR:
        lines.append("    _orthant_affinities = True")
    if task == "cluster" and method.get("finds_clusters"):
        lines.append("    _orthant_finds_clusters = True")
    if method["keeps_sparse"]:
        lines.append("    _orthant_sparse = True")
    if method["instead_of_samples"]:
        lines.append(f"    _orthant_instead = {tuple(method['instead_of_samples'])!r}".replace("'", '"'))
    if method["name"] in ITSELF:
        lines.append(f"    _orthant_itself = {ITSELF[method['name']]!r}".replace("'", '"'))
    if method["name"] in CHOOSING:
        lines.append("    _orthant_chooses = True")
    switches = {p["key"]: SWITCHES[method["name"], p["key"]][:2] for p in method["parameters"] if (method["name"], p["key"]) in SWITCHES}
    if switches:
        lines.append(f"    _orthant_switches = {switches!r}".replace("'", '"'))
    aliases = ALIASES.get(method["name"])
    if aliases:
        lines.append("    _orthant_aliases = {")
        lines += [f'        "{name}": ({quoted(of)}, {quoted(plus)}),' for name, (of, plus) in sorted(aliases.items())]
        lines.append("    }")
    former = {parameter_name(method["name"], old): parameter_name(method["name"], now) or None for old, now in method["former"].items()}
    if former:
        lines.append("    _orthant_former = {")
        lines += [f'        "{old}": {quoted(now)},' for old, now in sorted(former.items())]
        lines.append("    }")
    lines.append("")
    lines.append("    def __init__(")
    lines.append("        self,")
    positional = {"n_components", "n_neighbors", "n_clusters"}
    starred = False
    for parameter, _, default, typed, _ in parameters:
        if parameter not in positional and not starred:
            lines.append("        *,")
            starred = True
        lines.append(f"        {parameter}: {annotation(typed)} = {quoted(default)},")
    if former or aliases:
        lines.append("        **former: Any,")
    lines.append("    ) -> None:")
    lines += [f"        self.{p[0]} = {p[0]}" for p in parameters]
    if former or aliases:
        lines.append("        self._take_former(former)")
    return name, "\n".join(lines) + "\n"


def source(methods):
    """Returns the names of the classes and the text of estimators.py."""
    names, classes = [], []
    known = {method["name"] for method in methods}
    for method in methods:
        for task in method["tasks"]:
            if task in BASES:
                name, text = class_source(method, task, known)
                names.append(name)
                classes.append(text)
    names.sort()
    head = '"""The estimators, one for every method. Made by build_estimators.py from the library\'s methods: do not edit."""\n\nfrom __future__ import annotations\n\nfrom typing import Any\n\n'
    used = [b for b in ("Factorization", "FactorizationOnly", "Mapping", "Supervised", "Embedding") if any(f"({b})" in c or f"({b}," in c or f", {b})" in c for c in classes)]
    beside = [b for b in ("Edged", "EdgedClustering", "Graphed", "GraphedClustering") if any(f"({b}, " in c or f", {b}, " in c for c in classes)]
    head += f"from ._base import {', '.join(sorted(used))}\nfrom ._beside import {', '.join(beside)}\nfrom ._clustering import Centred, Clustering, Labelling\nfrom ._learning import Learning\nfrom ._linear import Principal, Projection\nfrom ._maps import Map, Semisupervised\n\n__all__ = [\n" + "".join(f'    "{n}",\n' for n in names) + "]\n\n\n"
    return names, head + "\n\n".join(classes)


def stub(names):
    """Returns the text of __init__.pyi: the imports of __init__.py, and the classes, which it loads later."""
    with open(os.path.join(PACKAGE, "__init__.py"), encoding="utf-8") as f:
        tree = ast.parse(f.read())
    lines = ["# Made by build_estimators.py: do not edit.", "", "from . import estimators as estimators"]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            lines += [f"from .{node.module} import {alias.name} as {alias.name}" for alias in node.names]
    lines += [f"from .estimators import {name} as {name}" for name in names]
    return "\n".join(lines) + "\n"


class Text(ctypes.Structure):
    """orthant_text."""

    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("needed", ctypes.c_size_t)]


def table(library):
    """Returns the methods of a library for this machine."""
    function = ctypes.CDLL(library).orthant_methods
    function.argtypes, function.restype = [ctypes.POINTER(Text)] * 2, ctypes.c_int
    text = Text()
    function(text, None)
    room = ctypes.create_string_buffer(text.needed)
    text = Text(ctypes.cast(room, ctypes.c_char_p), len(room), 0)
    if function(text, None) != 0:
        raise SystemExit(f"{library} does not tell its methods")
    return json.loads(room.value)["methods"]


def made(library):
    """Returns the generated files for a library of this machine, {name: text}."""
    names, text = source(table(library))
    return dict(zip(FILES, (text, stub(names))))


def main(arguments):
    for name, text in made(os.path.abspath(*arguments or [os.path.join(PACKAGE, "liborthant.so")])).items():
        path = os.path.join(PACKAGE, name)
        with open(path + ".part", "w", encoding="utf-8") as f:
            f.write(text)
        os.replace(path + ".part", path)


if __name__ == "__main__":
    main(sys.argv[1:])
