package mutation

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Turn returns the number of commits, which differs after each commit and is the same
// for the same commit. In a shallow clone, or without a repository, it returns the
// number of days since 1970.
func Turn(ctx context.Context, root string, now time.Time) (n int, why string) {
	git := func(args ...string) string {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	if git("rev-parse", "--is-shallow-repository") == "false" {
		if n, err := strconv.Atoi(git("rev-list", "--count", "HEAD")); err == nil {
			return n, fmt.Sprintf("commit %d", n)
		}
	}
	n = int(now.Unix() / (24 * 60 * 60))
	return n, fmt.Sprintf("day %d", n)
}

// Order returns the mutations that are not rare. Each turn another mutation comes
// first, until each has been first.
func Order(all []Mutation, turn int) []*Mutation {
	var often []*Mutation
	for i := range all {
		if !all[i].Rare {
			often = append(often, &all[i])
		}
	}
	n := len(often)
	if n == 0 {
		return nil
	}
	// Successive turns start far apart, because a draw has more than one mutation.
	stride := n * 5 / 13
	for !coprime(stride, n) {
		stride++
	}
	first := turn % n * stride % n
	return append(often[first:n:n], often[:first]...)
}

func coprime(a, b int) bool {
	for b != 0 {
		a, b = b, a%b
	}
	return a == 1
}

// Named returns the mutations whose names or files contain the text, all for "".
func Named(all []Mutation, text string) []*Mutation {
	var named []*Mutation
	for i := range all {
		if strings.Contains(all[i].Name, text) || strings.Contains(all[i].File, text) {
			named = append(named, &all[i])
		}
	}
	return named
}
