// Package header merges the headers of starts, calls and work items.
package header

import "maps"

// Merge returns the headers of base and of over; over wins where the names
// are the same. Without any in over it is base itself. Not to be changed.
func Merge(base, over map[string]string) map[string]string {
	switch {
	case len(over) == 0:
		return base
	case len(base) == 0:
		return over
	}
	all := make(map[string]string, len(base)+len(over))
	maps.Copy(all, base)
	maps.Copy(all, over)
	return all
}
