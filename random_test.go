package turnstile_test

import (
	"crypto/sha256"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

func TestRandomNumbersAreTheSameOnEveryReplay(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, []int]("Flow")
	part := flow.Implement(func(ctx turnstile.Context, _ int) ([]int, error) {
		r := turnstile.Random(ctx)
		other := turnstile.Random(ctx)
		var numbers []int
		for range 10 {
			numbers = append(numbers, r.IntN(1000), other.IntN(1000))
		}
		return numbers, nil
	})
	e := start(t, part)
	run := ok[*client.Run[[]int]](t)(client.Start(e.ctx, e.client, flow, 0))
	ok[[]int](t)(run.Wait(e.ctx))
	events := e.history(run.Instance)
	if want := []string{"OrchestrationStarted", "SystemCall", "SystemCall", "OrchestrationCompleted"}; !reflect.DeepEqual(kinds(events), want) {
		t.Errorf("recorded were %v", kinds(events))
	}
	// The output is compared with the recorded one.
	if turn := replay(t, turnstile.NewApp(part), run.Instance, events); turn.Stuck != nil {
		t.Error(turn.Stuck)
	}
}

// Histories depend on the numbers of a seed. If a new version of Go generates other numbers, Random
// needs its own generator.
func TestTheNumbersOfASeedNeverChange(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewChaCha8(sha256.Sum256([]byte("6ba7b810-9dad-41d1-80b4-00c04fd430c8"))))
	got := []any{r.IntN(1000), r.IntN(1000), r.Uint64(), r.Perm(5), r.Float64()}
	want := []any{405, 492, uint64(0xf56c8fa384f246b0), []int{4, 3, 2, 0, 1}, 0.6837907732692731}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("they are %#v", got)
	}
}
