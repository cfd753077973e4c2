# Sums a coverage profile up by groups of files and fails where one that is held to a
# least share has less. A block counts as covered if any of the tests ran it. Give -v
# groups="name=pattern name=pattern …"; a name ending in a plus is held to -v least.
NR > 1 && $1 != "mode:" {
	statements[$1] = $2
	if ($3 > 0) covered[$1] = 1
}
END {
	n = split(groups, group, " ")
	for (block in statements) {
		file = block
		sub(/:.*/, "", file)
		for (i = 1; i <= n; i++) {
			split(group[i], part, "=")
			if (file ~ part[2]) {
				total[i] += statements[block]
				if (block in covered) done[i] += statements[block]
			}
		}
	}
	for (i = 1; i <= n; i++) {
		split(group[i], part, "=")
		held = sub(/\+$/, "", part[1])
		share = total[i] ? 100 * done[i] / total[i] : 0
		printf "%6.1f %%  %5d of %5d statements  %s%s\n", share, done[i], total[i], part[1], held && share < least ? "  (below " least " %)" : ""
		if (held && share < least) failed = 1
	}
	exit failed
}
