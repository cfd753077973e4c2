package limits

import "fmt"

// FormatBytes prints a size in binary units.
func FormatBytes(b int64) string {
	const unit = 1024
	if b < unit {
		return fmt.Sprintf("%d B", b)
	}
	value, at := float64(b)/unit, 0
	for value >= unit && at < 3 {
		value /= unit
		at++
	}
	return fmt.Sprintf("%.1f %s", value, [...]string{"KiB", "MiB", "GiB", "TiB"}[at])
}
