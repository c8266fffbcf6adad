package workloads_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/tools/bench/workloads"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Every message is delivered twice, and every process dies at each of its calls,
// one a run: each account ends with the same balance, and the sum is what it was.
func TestNoCrashTakesOrMakesMoney(t *testing.T) {
	t.Parallel()
	turnstiletest.CrashTest(t, workloads.App(&workloads.Agency{}), func(env *turnstiletest.Env) {
		// The third has not enough money unless the second was there before it.
		balances, refused, err := workloads.Bank(t.Context(), env.Client(), "bank", 3, []workloads.Movement{{From: 0, To: 1, Amount: 60}, {From: 1, To: 2, Amount: 30}, {From: 0, To: 2, Amount: 70}})
		if err != nil {
			t.Error(err)
		}
		if want := []int{40, 130, 130}; !slices.Equal(balances, want) || refused != 1 {
			t.Errorf("balances %v, %d refused; want %v and one", balances, refused, want)
		}
	}, turnstiletest.WithMaxRuns(250))
}

// Transfers that come in any order between accounts that all of them share.
func TestMoneyIsConservedInAnyOrder(t *testing.T) {
	t.Parallel()
	refusals := 0
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		var transfers []workloads.Movement
		for range 25 {
			from := random.IntN(4)
			transfers = append(transfers, workloads.Movement{From: from, To: (from + 1 + random.IntN(3)) % 4, Amount: 1 + random.IntN(80)})
		}
		// A process dies every hundred calls or so. More often, and one message may
		// meet two deaths: then it is taken for what they come from.
		next := 0
		dies := func(c turnstiletest.Call) bool {
			if c.Number < next {
				return false
			}
			next = c.Number + 80 + random.IntN(40)
			return true
		}
		env := turnstiletest.New(t, workloads.App(&workloads.Agency{}), turnstiletest.WithRandomOrder(seed), turnstiletest.WithProcesses(3),
			turnstiletest.CrashBefore(dies), turnstiletest.CrashAfter(dies))
		_, refused, err := workloads.Bank(t.Context(), env.Client(), "bank", 4, transfers)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		refusals += refused
	}
	if refusals == 0 {
		t.Error("every account always had enough money: the amounts are too small to show a transfer that is refused")
	}
}

// A trip is booked or was never booked, whichever part is sold out and whichever
// call was the last of its process.
func TestNoCrashLeavesATripHalfBooked(t *testing.T) {
	t.Parallel()
	for _, lacks := range []string{"", "flight", "hotel", "car"} {
		t.Run("lacks "+lacks, func(t *testing.T) {
			t.Parallel()
			// The runs share the application, and so the agency.
			agency := &workloads.Agency{}
			turnstiletest.CrashTest(t, workloads.App(agency), func(env *turnstiletest.Env) {
				agency.Forget()
				if err := workloads.Trips(t.Context(), env.Client(), agency, "trip", 1, lacks); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestNoCrashChangesAGreeting(t *testing.T) {
	t.Parallel()
	turnstiletest.CrashTest(t, workloads.App(&workloads.Agency{}), func(env *turnstiletest.Env) {
		if err := workloads.Hello(t.Context(), env.Client(), "hello", 1); err != nil {
			t.Error(err)
		}
		if err := workloads.FanOut(t.Context(), env.Client(), "fan-out", 1, 5); err != nil {
			t.Error(err)
		}
	})
}

// A cancel may come at any moment of a transfer. It is made to the end, so that the
// money is in one of the accounts.
func TestACancelledTransferLosesNothing(t *testing.T) {
	t.Parallel()
	for _, at := range []struct {
		name   string
		signal turnstiletest.Milestone
	}{
		{"before anything", turnstiletest.OrchestrationStarted(workloads.Account)},
		{"while the first answer is awaited", turnstiletest.EventAwaited(workloads.Answered)},
	} {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			env := turnstiletest.New(t, workloads.App(&workloads.Agency{}))
			from := turnstiletest.Start(env, workloads.Account, workloads.Opening, client.WithInstanceID("from"))
			to := turnstiletest.Start(env, workloads.Account, workloads.Opening, client.WithInstanceID("to"))
			env.Run()
			transfer := turnstiletest.Start(env, workloads.Transfer, workloads.Order{From: "from", To: "to", Amount: 30})
			env.RunUntil(at.signal)
			transfer.Cancel("changed my mind")
			if done, err := transfer.Wait(); err != nil || !done {
				t.Errorf("the transfer returned %t, %v", done, err)
			}
			for account, want := range map[*turnstiletest.Run[int]]int{from: 70, to: 130} {
				turnstiletest.Raise(env, workloads.Posted, account.Instance, workloads.Posting{Close: true})
				if balance, err := account.Wait(); err != nil || balance != want {
					t.Errorf("%s was closed with %d (%v), want %d", account.Instance, balance, err, want)
				}
			}
		})
	}
}
