package engine_test

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

// F-10: branches run in the order in which they were started, each until it blocks, and
// 100 replays make the same scheduling events.
func TestF10BranchesRunInTheOrderOfTheirStart(t *testing.T) {
	t.Parallel()
	for range 100 {
		var ran []string
		branch := func(name string, inner ...string) func(c *engine.Context) ([]byte, error) {
			return func(c *engine.Context) ([]byte, error) {
				ran = append(ran, name)
				first, second := act(c, name+"1"), act(c, name+"2")
				for _, more := range inner {
					c.Go(func(c *engine.Context) ([]byte, error) {
						ran = append(ran, more)
						_, err := call(c, more)
						return nil, err
					})
				}
				if _, err := c.Join(first, second); err != nil {
					return nil, err
				}
				_, err := call(c, name+"3")
				return nil, err
			}
		}
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			ran = []string{"parent"}
			a, b := c.Go(branch("a", "x", "y")), c.Go(branch("b"))
			act(c, "p")
			ran = append(ran, "parent blocks")
			_, err := c.Join(b, a) // the order of awaiting differs from the order of the start
			return []byte("done"), err
		})
		order := fmt.Sprint([]string{"parent", "parent blocks", "a", "b", "x", "y"})
		ranInOrder := func() {
			t.Helper()
			if got := fmt.Sprint(ran); got != order {
				t.Fatalf("ran %s, want %s", got, order)
			}
		}
		f.turn(start("0"))
		ranInOrder()
		f.turn(completed(6, "1"), completed(5, "1"), completed(4, "1"), completed(3, "1"))
		ranInOrder()
		f.wantHistory("1 Started", "2 Act(p)", "3 Act(a1)", "4 Act(a2)", "5 Act(b1)", "6 Act(b2)", "7 Act(x)", "8 Act(y)",
			"9 Done←6", "10 Done←5", "11 Act(b3)", "12 Done←4", "13 Done←3", "14 Act(a3)")
		f.replaysCleanly()
		ranInOrder()
	}
}
