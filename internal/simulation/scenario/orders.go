package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// sampleApplication is the sample application, with services that record the calls to them.
type sampleApplication struct {
	orders []placedOrder
	// calls are the keys with which each service was called and answered.
	calls map[string]map[string]bool
}

type placedOrder struct {
	orders.Order
	instance string
	// answer is "yes", "no" or "" for none.
	answer    string
	cancelled bool
}

func newOrdersScenario(w *world.World) *sampleApplication {
	s := &sampleApplication{calls: map[string]map[string]bool{}}
	for i := range 1 + w.Choices.IntN(w.Choices.At(choice.OfProgram, "orders"), 2) {
		o := placedOrder{instance: fmt.Sprintf("order%d", i)}
		at := w.Choices.At(choice.OfProgram, o.instance)
		o.answer = []string{"yes", "yes", "no", ""}[w.Choices.IntN(at, 4)]
		o.cancelled = w.Choices.OneIn(at, 5)
		o.Order = orders.Order{ID: o.instance, Customer: world.Marker, Card: []string{"4242", "4242", "0000"}[w.Choices.IntN(at, 3)], ApproveWithin: "5h",
			Lines: []orders.Line{{SKU: "s", Quantity: 2, Price: 50}}}
		s.orders = append(s.orders, o)
	}
	return s
}

func (s *sampleApplication) Size() string { return world.Plural(len(s.orders), "order") }

func (s *sampleApplication) String() string {
	return fmt.Sprintf("the sample application: %+v\n", s.orders)
}

func (s *sampleApplication) Working() *world.Build {
	return &world.Build{Name: "working", Orchestrations: turnstile.NewApp(turnstile.Components(orders.Orchestrations())).Orchestrations()}
}

func (s *sampleApplication) Broken(w *world.World) *world.Build {
	return broken(w, "Fulfil", "Ship", "Remind")
}

func (s *sampleApplication) Activities(p *world.Process) *activities.Registry {
	services := noting{orders.Simulated(0, time.Hour), p, s}
	return turnstile.NewApp(turnstile.Components(orders.Activities(orders.Services{
		Warehouse: services, Bank: services, Carrier: services, Mail: services}))).Activities()
}

func (s *sampleApplication) Inline(*world.Process) *activities.Registry { return nil }

func (s *sampleApplication) Start(w *world.World) {
	for _, o := range s.orders {
		input, err := json.Marshal(o.Order)
		if err != nil {
			panic(err)
		}
		w.SendItem(wire.Item{Kind: wire.StartOrchestration, Instance: o.instance, Name: "Fulfil", Input: input, ID: "start"})
		if o.answer != "" {
			data, _ := json.Marshal(orders.Approval{By: "boss", Approved: o.answer == "yes"})
			w.Clock.AfterFunc(time.Duration(w.Choices.IntN(w.Choices.At(choice.OfClient, o.instance), 4*3600))*time.Second, func() {
				w.SendItem(wire.Item{Kind: wire.ExternalRaised, Instance: o.instance, Name: "approved", Data: data, ID: "approval"})
			})
		}
		if o.cancelled {
			w.Clock.AfterFunc(time.Duration(w.Choices.IntN(w.Choices.At(choice.OfClient, o.instance), 6*3600))*time.Second, func() {
				w.SendItem(wire.Item{Kind: wire.CancelInstance, Instance: o.instance, ID: "cancel"})
			})
		}
	}
}

func (s *sampleApplication) Created(*world.World, string, string) {}

func (s *sampleApplication) Landed(*world.World, *world.Process, *ledger.Recorded, *store.Turn) {}
func (s *sampleApplication) Marked(*world.World, *store.Record)                                 {}
func (s *sampleApplication) Program(string) *program.Program                                    { return nil }
func (s *sampleApplication) IsRandom() bool                                                     { return false }

// Purge implements scenario: the outcome of an order must stay.
func (s *sampleApplication) Purge(*world.World) {}

// Check compares the calls to the services with how each order ended.
func (s *sampleApplication) Check(w *world.World) {
	for _, o := range s.orders {
		if err := s.judge(w, &o); err != nil {
			w.Violate("outcome", "%s: %v", o.instance, err)
		}
	}
}

func (s *sampleApplication) judge(w *world.World, o *placedOrder) error {
	r, err := w.Describe(o.instance)
	if err != nil {
		return err
	}
	charged, refunded := len(s.calls["charge "+o.instance]), len(s.calls["refund "+o.instance])
	excused := len(excused(w)) > 0
	switch r.Status {
	case store.StatusCompleted:
		var result orders.Result
		if err := json.Unmarshal(r.Output, &result); err != nil {
			return err
		}
		shipped := result.Status == "shipped"
		switch {
		case shipped && (o.answer != "yes" || o.Card == "0000"):
			return errors.New("it was shipped without approval or payment")
		case shipped && (charged != 1 || refunded != 0 || result.Charged != o.Total() || result.Tracking == nil):
			return fmt.Errorf("it was shipped, charged %d times and refunded %d times: %s", charged, refunded, r.Output)
		case !shipped && !excused && charged != refunded:
			return fmt.Errorf("it was not shipped, charged %d times and refunded %d times", charged, refunded)
		}
	case store.StatusFailed:
		if o.Card != "0000" && !excused {
			return fmt.Errorf("it failed: %+v", r.Failure)
		}
	case store.StatusCancelled:
		if !o.cancelled {
			return errors.New("it is cancelled, although no client cancelled it")
		}
		if !excused && charged > refunded+1 {
			return fmt.Errorf("it is cancelled, charged %d times and refunded %d times", charged, refunded)
		}
	}
	return nil
}

// noting are services that take time and record the keys of the calls that they answered.
type noting struct {
	orders.Services
	p *world.Process
	s *sampleApplication
}

func (n noting) note(ctx context.Context, what string) error {
	info, _ := activities.InfoFrom(ctx)
	if err := n.p.TakeTime(ctx, info.Instance); err != nil {
		return err
	}
	what += " " + info.Instance
	if n.s.calls[what] == nil {
		n.s.calls[what] = map[string]bool{}
	}
	n.s.calls[what][info.IdempotencyKey] = true
	return nil
}

func (n noting) Reserve(ctx context.Context, key string, lines []orders.Line) (orders.Reservation, error) {
	if err := n.note(ctx, "reserve"); err != nil {
		return orders.Reservation{}, err
	}
	return n.Warehouse.Reserve(ctx, key, lines)
}

func (n noting) Release(ctx context.Context, key string, r orders.Reservation) error {
	if err := n.note(ctx, "release"); err != nil {
		return err
	}
	return n.Warehouse.Release(ctx, key, r)
}

func (n noting) Charge(ctx context.Context, key, card string, amount int64) (orders.Receipt, error) {
	if err := n.note(ctx, "try to charge"); err != nil {
		return orders.Receipt{}, err
	}
	receipt, err := n.Bank.Charge(ctx, key, card, amount)
	if err == nil {
		err = n.note(ctx, "charge")
	}
	return receipt, err
}

func (n noting) Refund(ctx context.Context, key string, r orders.Receipt) error {
	if err := n.note(ctx, "refund"); err != nil {
		return err
	}
	return n.Bank.Refund(ctx, key, r)
}

func (n noting) Pack(ctx context.Context, key string, s orders.Shipment) (orders.Parcel, error) {
	if err := n.note(ctx, "pack"); err != nil {
		return orders.Parcel{}, err
	}
	return n.Carrier.Pack(ctx, key, s)
}

func (n noting) HandOver(ctx context.Context, key string, p orders.Parcel) (orders.Tracking, error) {
	if err := n.note(ctx, "hand over"); err != nil {
		return orders.Tracking{}, err
	}
	return n.Carrier.HandOver(ctx, key, p)
}

func (n noting) Remind(ctx context.Context, key string, r orders.Reminder) error {
	if err := n.note(ctx, "remind"); err != nil {
		return err
	}
	return n.Mail.Remind(ctx, key, r)
}
