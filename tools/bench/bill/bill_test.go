package bill

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/tools/bench/document"
	"github.com/turnstile-go/turnstile/tools/bench/stack"
)

var update = flag.Bool("update", false, "write the tables of docs/internal/performance.md anew")

// workload is a row of the table.
type workload struct {
	name, unit string
	setting    setting
	// instances are started together; each does `few` units, and in another run
	// `many`: what differs is the cost of the units, without that of starts and
	// ends. With few of 0 those are in it.
	instances, few, many int
	code                 func(n int) engine.Func
	// drive does what is done from outside.
	drive func(w *world, n int)
	// rest is how long nothing happens in the middle of it.
	rest time.Duration
	// ends is how the instances end; default completed.
	ends store.Status
	// most is what a million may cost, in dollars; 0 for no bound.
	most float64
}

func step(c *engine.Context, in []byte) *engine.Future {
	return c.Activity(engine.ActivityCall{Name: "Step", Input: in})
}

// chain awaits one step after the other.
func chain(n int) engine.Func {
	return func(c *engine.Context, in []byte) ([]byte, error) {
		for range n {
			var err error
			if in, err = c.Await(step(c, in)); err != nil {
				return nil, err
			}
		}
		return in, nil
	}
}

// fanOut awaits ten steps at a time.
func fanOut(n int) engine.Func {
	return func(c *engine.Context, in []byte) ([]byte, error) {
		for range n / 10 {
			var all []*engine.Future
			for i := range 10 {
				all = append(all, step(c, note(in, []byte{byte(i)})))
			}
			results, err := c.Join(all...)
			if err != nil {
				return nil, err
			}
			in = results[0]
		}
		return in, nil
	}
}

func inline(batch int) func(n int) engine.Func {
	return func(n int) engine.Func {
		return func(c *engine.Context, in []byte) ([]byte, error) {
			for range n {
				var err error
				if in, err = c.Inline(engine.ActivityCall{Name: "Step", Input: in, Retry: &history.Retry{Batch: batch}}); err != nil {
					return nil, err
				}
			}
			return in, nil
		}
	}
}

func sleeps(d time.Duration) func(n int) engine.Func {
	return func(n int) engine.Func {
		return func(c *engine.Context, in []byte) ([]byte, error) {
			for range n {
				if _, err := c.Await(c.Timer(d)); err != nil {
					return nil, err
				}
			}
			return in, nil
		}
	}
}

func events(n int) engine.Func {
	return func(c *engine.Context, in []byte) ([]byte, error) {
		for range n {
			if _, err := c.Await(c.ExternalEvent("go")); err != nil {
				return nil, err
			}
		}
		return in, nil
	}
}

func children(n int) engine.Func {
	return func(c *engine.Context, in []byte) ([]byte, error) {
		for range n {
			if _, err := c.Await(c.Child(engine.ChildCall{Name: "Child", Input: in})); err != nil {
				return nil, err
			}
		}
		return in, nil
	}
}

// approvals awaits one approval after the other, each of which may take thirty days.
func approvals(n int) engine.Func {
	return approvalsWithin(n, &history.Retry{TotalTimeoutMS: (30 * day).Milliseconds()})
}

func unlimited(n int) engine.Func { return approvalsWithin(n, nil) }

const day = 24 * time.Hour

func approvalsWithin(n int, limit *history.Retry) engine.Func {
	return func(c *engine.Context, in []byte) ([]byte, error) {
		for range n {
			if _, err := c.Await(c.Activity(engine.ActivityCall{Name: "Approve", Input: in, Retry: limit})); err != nil {
				return nil, err
			}
		}
		return in, nil
	}
}

// approve gives each approval after 29 days, and waits for what comes of its limit,
// which is over in the first days of the next one.
func approve(w *world, n int) {
	for range n {
		w.Run(0)
		time.Sleep(2 * day)
		w.Run(0)
		time.Sleep(27 * day)
		item, err := wire.Parse(fmt.Appendf(nil, `{"kind":"ActivityCompleted","activity_token":%q,"result":%s}`, w.token.Load(), note()))
		if err != nil {
			w.t.Fatal(err)
		}
		w.Send(item)
		w.Run(0)
	}
	time.Sleep(2 * day)
	w.Run(0)
}

func nothing(int) engine.Func {
	return func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil }
}

func panics(int) engine.Func {
	return func(*engine.Context, []byte) ([]byte, error) { panic("a mistake") }
}

// sweeps lets days pass, in which the schedule of the template asks for a sweep every
// five minutes. Each looks into eight shards of an index: that is half a unit a
// shard, which internal/store/metering does not count.
func sweeps(w *world, days int) {
	for i := range days * 24 * 12 {
		w.Send(wire.Item{Kind: wire.Sweep, ID: fmt.Sprintf("sweep-%d", i)})
		w.Meter.Request(bill.Schedules, 1)
		w.Meter.Add(bill.ReadUnits, 8*0.5)
		w.RunFor(5 * time.Minute)
	}
}

// varied is what attempts take where they differ: 10 to 100 ms.
func varied(n int) time.Duration { return time.Duration(10+n*37%91) * time.Millisecond }

func workloads() []workload {
	one := setting{Setting: stack.Setting{Batch: 1}}
	return []workload{
		{name: "chain, one instance", unit: "step", setting: one, instances: 1, few: 50, many: 150, code: chain, most: 4.00},
		{name: "chain, 10 instances in lockstep", unit: "step", instances: 10, few: 10, many: 50, code: chain, most: 1.15},
		{name: "chain, 100 instances in lockstep", unit: "step", instances: 100, few: 5, many: 15, code: chain, most: 1.15},
		{name: "… whose attempts take 10 to 100 ms", unit: "step", setting: setting{work: varied}, instances: 100, few: 5, many: 15, code: chain},
		{name: "… on eight warm processes in turn", unit: "step", setting: setting{Setting: stack.Setting{Processes: 8}}, instances: 100, few: 5, many: 15, code: chain},
		{name: "… on cold processes, steps 5 to 15", unit: "step", setting: setting{Setting: stack.Setting{Cold: true}}, instances: 100, few: 5, many: 15, code: chain},
		{name: "fan-out of ten, one instance", unit: "step", instances: 1, few: 50, many: 250, code: fanOut, most: 0.75},
		{name: "fan-out of ten, 10 instances in lockstep", unit: "step", instances: 10, few: 50, many: 150, code: fanOut},
		{name: "inline", unit: "step", setting: one, instances: 1, few: 100, many: 600, code: inline(1), most: 0.65},
		{name: "inline, `CommitEvery(10)`", unit: "step", setting: one, instances: 1, few: 100, many: 600, code: inline(10), most: 0.40},
		{name: "timer of a minute", unit: "timer", setting: one, instances: 1, few: 5, many: 25, code: sleeps(time.Minute), rest: 2 * time.Minute},
		{name: "timer of an hour", unit: "timer", setting: one, instances: 1, few: 5, many: 25, code: sleeps(time.Hour), rest: 2 * time.Hour},
		{name: "external event, sent by a client", unit: "event", setting: one, instances: 1, few: 5, many: 25, code: events, drive: func(w *world, n int) {
			for i := range n {
				w.Send(wire.Item{Kind: wire.ExternalRaised, Instance: instance(0), Name: "go", ID: fmt.Sprintf("e%d", i), Data: note([]byte{byte(i)})})
				w.Run(time.Second)
			}
		}},
		{name: "approval of 30 days, given after 29", unit: "approval", setting: one, instances: 1, few: 2, many: 6, code: approvals, drive: approve, most: 30},
		{name: "… without a time limit", unit: "approval", setting: one, instances: 1, few: 2, many: 6, code: unlimited, drive: approve},
		{name: "child, start to end", unit: "child", setting: one, instances: 1, few: 5, many: 25, code: children},
		{name: "instance without a step, start to end", unit: "instance", setting: one, instances: 1, few: 0, many: 1, code: nothing},
		{name: "sweeps of a stack, nothing stuck", unit: "day", setting: one, instances: 1, few: 1, many: 2, code: nothing, drive: sweeps},
		{name: "sweeps of a stack, one instance stuck", unit: "day", setting: one, instances: 1, few: 1, many: 2, code: panics, ends: store.StatusStuck, drive: sweeps},
	}
}

// row is what a unit of a workload costs.
type row struct {
	*workload
	units  float64
	bill   bill.Bill
	worker time.Duration
	took   time.Duration
}

func (r *row) of(i bill.Item) float64 { return r.bill.Of(i) / r.units }

// dollars a million units, of some items or all.
func (r *row) dollars(items ...bill.Item) float64 {
	if len(items) == 0 {
		items = bill.Items()
	}
	sum := 0.0
	for _, i := range items {
		sum += r.of(i) * i.Price()
	}
	return sum
}

func measure(t *testing.T, l *workload) row {
	t.Helper()
	r := row{workload: l, units: float64((l.many - l.few) * l.instances)}
	run := func(n int) (b bill.Bill, took time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, l.setting, l.code(n))
			startedAt := time.Now()
			for i := range l.instances {
				w.start(instance(i))
			}
			w.Run(0)
			if l.drive != nil {
				l.drive(w, n)
			} else if l.rest > 0 {
				w.Run(l.rest)
			}
			took = w.Ended.Sub(startedAt)
			ends := l.ends
			if ends == "" {
				ends = store.StatusCompleted
			}
			w.expect(l.instances, ends)
			b = w.Bill()
			// What is estimated without the items of DynamoDB is about what they cost.
			exact, estimated := b.Of(bill.WriteUnits), w.Estimated.Bill().Of(bill.WriteUnits)
			if math.Abs(exact-estimated) > 0.03*exact+1 {
				t.Errorf("%s: %v write units, package bill estimates %v", l.name, exact, estimated)
			}
			if len(w.Attempts) > 0 {
				r.worker = w.Attempts[len(w.Attempts)/2]
			}
		})
		return b, took
	}
	before, took := bill.Bill{}, time.Duration(0)
	if l.few > 0 {
		before, took = run(l.few)
	}
	all, tookAll := run(l.many)
	r.bill, r.took = all.Minus(before), tookAll-took
	return r
}

var (
	ofDatabase = []bill.Item{bill.WriteUnits, bill.ReadUnits}
	ofQueues   = []bill.Item{bill.FIFO, bill.Standard}
	ofTimers   = []bill.Item{bill.Schedules}
	ofLambda   = []bill.Item{bill.Invocations, bill.GBSeconds}
	ofLogs     = []bill.Item{bill.LogBytes}
)

func TestTheTableOfCosts(t *testing.T) {
	var table strings.Builder
	table.WriteString("| | unit | write units | read units | FIFO requests | standard requests | invocations | GB-ms | DynamoDB | SQS | Scheduler | Lambda | logs | **per million** |\n")
	table.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	// What users read: the price alone, without what a stack costs while nothing happens.
	var prices strings.Builder
	prices.WriteString("| what | unit | per million |\n| --- | --- | --- |\n")
	for _, l := range workloads() {
		r := measure(t, &l)
		if l.unit != "day" {
			fmt.Fprintf(&prices, "| %s | %s | **$%.2f** |\n", l.name, l.unit, r.dollars())
		}
		fmt.Fprintf(&table, "| %s | %s | %.3f | %.3f | %.2f | %.2f | %.2f | %.2f | $%.2f | $%.2f | $%.2f | $%.2f | $%.2f | **$%.2f** |\n", l.name, l.unit,
			r.of(bill.WriteUnits), r.of(bill.ReadUnits), r.of(bill.FIFO), r.of(bill.Standard), r.of(bill.Invocations), 1000*r.of(bill.GBSeconds),
			r.dollars(ofDatabase...), r.dollars(ofQueues...), r.dollars(ofTimers...), r.dollars(ofLambda...), r.dollars(ofLogs...), r.dollars())
		if l.most > 0 && r.dollars() > l.most {
			t.Errorf("%s: a million cost $%.3f, want at most $%.2f", l.name, r.dollars(), l.most)
		}
		t.Logf("%s: worker %s, took %s", l.name, r.worker, r.took)
	}
	t.Logf("\n%s", table.String())
	// Attempts that take differently long meet in one call or do not: 0.57 or 0.58 requests.
	document.HoldAbout(t, "../../../docs/internal/performance.md", "costs", "go -C tools/bench test ./bill -update", table.String(), 0.03, *update)
	document.HoldAbout(t, "../../../docs/guide/cost.md", "prices", "go -C tools/bench test ./bill -update", prices.String(), 0.03, *update)
}
