package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A pieces list behaves like a slice. Slices taken from it, and copies of it, do not
// change when items are appended or dropped later.
func TestPiecesBehaveLikeASlice(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var p pieces[int]
		var want []int
		type lent struct{ got, was []int }
		var all []lent
		copies := map[*pieces[int]][]int{}
		next := 0
		items := func(n int) (out []int) {
			for range n {
				next++
				out = append(out, next)
			}
			return out
		}
		switch r.IntN(3) {
		case 0:
			p.reserve(r.IntN(2 * piece))
		case 1:
			own := items(1 + r.IntN(2*piece))
			p.use(own)
			want = slices.Clone(own)
		}
		for range 60 {
			switch r.IntN(6) {
			case 0, 1:
				for _, i := range items(r.IntN(100)) {
					if at := p.append(i); *at != i {
						t.Fatalf("seed %d: %d appended as %d", seed, i, *at)
					}
					want = append(want, i)
				}
			case 2:
				more := items(r.IntN(400))
				p.appendAll(more)
				want = append(want, more...)
			case 3:
				n := p.len() - r.IntN(min(p.len(), 300)+1)
				p.truncate(n)
				want = slices.Clone(want[:n])
			case 4:
				from := r.IntN(p.len() + 1)
				to := from + r.IntN(p.len()-from+1)
				got := p.slice(from, to)
				if !slices.Equal(got, want[from:to]) {
					t.Fatalf("seed %d: %d to %d is %v, want %v", seed, from, to, got, want[from:to])
				}
				all = append(all, lent{got, slices.Clone(got)})
				_ = append(got, -1)
			case 5:
				held := p
				copies[&held] = slices.Clone(want)
			}
			if p.len() != len(want) || p.room() < p.len() {
				t.Fatalf("seed %d: %d items in room for %d, want %d", seed, p.len(), p.room(), len(want))
			}
			for i := range want {
				if *p.at(i) != want[i] {
					t.Fatalf("seed %d: item %d is %d, want %d", seed, i, *p.at(i), want[i])
				}
			}
		}
		for _, l := range all {
			if !slices.Equal(l.got, l.was) {
				t.Fatalf("seed %d: a returned slice was overwritten", seed)
			}
		}
		for held, was := range copies {
			if !slices.Equal(held.slice(0, held.len()), was) {
				t.Fatalf("seed %d: a copy of the list has changed", seed)
			}
		}
	}
}
