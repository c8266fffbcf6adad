package difference

import (
	"cmp"
	"slices"
)

// mostCells is the maximum size of the table for a longest common subsequence; longer sequences are
// aligned by their occurrences.
const mostCells = 1 << 20

// pair is an index in each of two sequences, -1 if one has no element.
type pair struct{ a, b int }

// align pairs equal elements of two sequences, in the order of both: the maximum number or, for
// long sequences that differ much, nearly the maximum.
func align[T comparable](a, b []T) []pair {
	var out []pair
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		out = append(out, pair{start, start})
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	middle := longest(a[start:endA], b[start:endB])
	for _, p := range middle {
		out = append(out, pair{p.a + start, p.b + start})
	}
	for i := range len(a) - endA {
		out = append(out, pair{endA + i, endB + i})
	}
	return out
}

func longest[T comparable](a, b []T) []pair {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if len(a)*len(b) > mostCells {
		return byOccurrence(a, b)
	}
	width := len(b) + 1
	table := make([]int32, (len(a)+1)*width) // of the longest sequence from here on
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	var out []pair
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, pair{i, j})
			i, j = i+1, j+1
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// byOccurrence pairs the first occurrence of an element with the first in the other sequence, the
// second with the second, and keeps the largest number of these pairs that are in order.
func byOccurrence[T comparable](a, b []T) []pair {
	places := map[T][]int{}
	for j, e := range b {
		places[e] = append(places[e], j)
	}
	var all []pair
	for i, e := range a {
		if at := places[e]; len(at) > 0 {
			all = append(all, pair{i, at[0]})
			places[e] = at[1:]
		}
	}
	// The longest increasing sequence of their indexes in b.
	ends, before := []int{}, make([]int, len(all))
	for i := range all {
		n, _ := slices.BinarySearchFunc(ends, all[i].b, func(end, b int) int { return cmp.Compare(all[end].b, b) })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	var out []pair
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			out = append(out, all[i])
		}
	}
	slices.Reverse(out)
	return out
}
