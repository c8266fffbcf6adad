package main

import (
	"slices"
	"strings"
)

// near returns those of the words that somebody may have meant, three at most: no
// others are nearer, and they differ in two letters at most, or begin with what was
// written, which counts as one.
func near(written string, words []string) []string {
	type candidate struct {
		word  string
		edits int
	}
	written = strings.ToLower(strings.TrimLeft(written, "-"))
	var found []candidate
	for _, word := range words {
		n := edits(written, strings.ToLower(word))
		switch {
		case n <= min(2, len(word)/2):
			found = append(found, candidate{word, n})
		case len(written) > 1 && strings.HasPrefix(strings.ToLower(word), written):
			found = append(found, candidate{word, 1})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.edits - b.edits })
	var out []string
	for _, c := range found[:min(len(found), 3)] {
		if c.edits == found[0].edits {
			out = append(out, c.word)
		}
	}
	return out
}

// suggested asks whether one of them was meant; empty for none.
func suggested(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(words, " or ") + "?"
}

// notOneOf says that a flag's value is none of those that there are.
func notOneOf(flag, value string, words []string) error {
	return usagef("--%s %q is none of %s%s", flag, value, strings.Join(words, ", "), suggested(near(value, words)))
}

// edits is how many letters have to be changed, added, left out or exchanged with
// their neighbour to make one word of the other.
func edits(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			cost := 1
			if from[i-1] == to[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}
