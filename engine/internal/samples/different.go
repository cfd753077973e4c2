package samples

import "fmt"

// CheckClusters refuses more clusters than there are different ones among n samples, of which
// so many equal an earlier one.
func CheckClusters(method string, n, copies, clusters int) error {
	different := n - copies
	switch {
	case different >= clusters:
		return nil
	case different == 1:
		return fmt.Errorf("%s: all %d samples are equal; %d clusters need as many different ones", method, n, clusters)
	}
	return fmt.Errorf("%s: %d clusters of samples of which %d are different; give at most %d", method, clusters, different, different)
}
