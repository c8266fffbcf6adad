package orders_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/internal/kept"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const histories = "../../../testdata/histories"

// shop is the application in virtual time, with services that record their calls.
type shop struct {
	*turnstiletest.Env
	notes *notes
}

func open(t *testing.T, broken ...string) *shop {
	t.Helper()
	app, n := application(broken...)
	env := turnstiletest.New(t, app)
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "orders") })
	return &shop{env, n}
}

func application(broken ...string) (*turnstile.App, *notes) {
	n := &notes{broken: broken}
	s := orders.Simulated(0, time.Hour)
	services := orders.Services{
		Warehouse: warehouse{s.Warehouse, n}, Bank: bank{s.Bank, n}, Carrier: carrier{s.Carrier, n}, Mail: mail{s.Mail, n},
	}
	return turnstile.NewApp(turnstile.Components(orders.Orchestrations()), turnstile.Components(orders.Activities(services))), n
}

// fulfil starts an order, calls later after an hour and a half, and waits until nothing is left to
// do.
func (s *shop) fulfil(o orders.Order, later func(run *turnstiletest.Run[orders.Result])) (orders.Result, error) {
	run := turnstiletest.Start(s.Env, orders.Fulfil, o, client.WithInstanceID("order"))
	if later != nil {
		s.After(90*time.Minute, func() { later(run) })
	}
	result, err := run.Wait()
	s.Run()
	return result, err
}

func (s *shop) approve(by string, yes bool) func(*turnstiletest.Run[orders.Result]) {
	return func(run *turnstiletest.Run[orders.Result]) {
		turnstiletest.Raise(s.Env, orders.Approved, run.Instance, orders.Approval{By: by, Approved: yes})
	}
}

func order() orders.Order {
	return orders.Order{ID: "7", Customer: "Ada", Card: "1111", Lines: []orders.Line{{SKU: "cup", Quantity: 2, Price: 650}}, ApproveWithin: "3h", RemindEvery: "20m"}
}

func TestAnApprovedOrderIsShipped(t *testing.T) {
	t.Parallel()
	s := open(t)
	result, err := s.fulfil(order(), s.approve("Grace", true))
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != "shipped" || result.Charged != 1300 || result.By != "Grace" || result.Tracking == nil || result.Tracking.Code == "" {
		t.Errorf("the result is %+v", result)
	}
	// Four reminders in an hour and a half, none afterwards, and nothing undone.
	s.notes.want(t, "reserve", "charge", "remind 0", "remind 1", "remind 2", "remind 3", "pack", "hand over")
	d, err := s.Client().Describe(t.Context(), "order")
	if err != nil || string(d.States["status"].Value) != `"shipped"` {
		t.Errorf("the status is %v, %v", d.States, err)
	}
	child, err := s.Client().Describe(t.Context(), "order/shipment")
	if err != nil || child.Parent == nil || child.Parent.Instance != "order" {
		t.Errorf("the shipment is %+v, %v", child, err)
	}
}

func TestWhatIsNotApprovedIsUndone(t *testing.T) {
	t.Parallel()
	t.Run("because somebody refused", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		result, err := s.fulfil(order(), s.approve("Grace", false))
		if err != nil || !reflect.DeepEqual(result, orders.Result{Status: "not approved", By: "Grace"}) {
			t.Errorf("the result is %+v, %v", result, err)
		}
		s.notes.want(t, "reserve", "charge", "remind 0", "remind 1", "remind 2", "remind 3", "refund", "release")
	})
	t.Run("because nobody answered", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		o := order()
		o.ApproveWithin, o.RemindEvery = "50m", "20m"
		result, err := s.fulfil(o, nil)
		if err != nil || !reflect.DeepEqual(result, orders.Result{Status: "not approved"}) {
			t.Errorf("the result is %+v, %v", result, err)
		}
		s.notes.want(t, "reserve", "charge", "remind 0", "remind 1", "refund", "release")
	})
}

func TestWhatFailedLaterIsUndoneLastFirst(t *testing.T) {
	t.Parallel()
	declined, tooMuch := order(), order()
	declined.Card = "4000 0000"
	tooMuch.Lines[0].Quantity = 1001
	for name, c := range map[string]struct {
		order  orders.Order
		broken []string
		code   string
		says   string
		want   []string
	}{
		"the card is declined": {declined, nil, "card_declined", `activity "Charge" failed: the card was declined`, []string{"reserve", "charge", "release"}},
		"there is no stock":    {tooMuch, nil, "out_of_stock", "1001 of cup wanted", []string{"reserve", "charge", "refund"}},
		"the parcel cannot be packed": {order(), []string{"pack"}, "", `sub-orchestration "Ship"`, []string{"reserve", "charge",
			"remind 0", "remind 1", "remind 2", "remind 3", "pack", "pack", "pack", "pack", "refund", "release"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, c.broken...)
			_, err := s.fulfil(c.order, s.approve("Grace", true))
			failed, isFailed := errors.AsType[*client.OrchestrationError](err)
			if !isFailed || failed.Code != c.code || !strings.Contains(failed.Message, c.says) {
				t.Errorf("it ended with %v", err)
			}
			s.notes.want(t, c.want...)
		})
	}
}

func TestACancelledOrderIsUndone(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, err := s.fulfil(order(), func(run *turnstiletest.Run[orders.Result]) { run.Cancel("changed my mind") })
	if !errors.Is(err, turnstile.ErrCancelled) || !strings.Contains(err.Error(), "changed my mind") {
		t.Errorf("it ended with %v", err)
	}
	s.notes.want(t, "reserve", "charge", "remind 0", "remind 1", "remind 2", "remind 3", "refund", "release")
}

func TestNoCrashChangesAnOrder(t *testing.T) {
	t.Parallel()
	for name, approved := range map[string]bool{"that is shipped": true, "that is undone": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, _ := application()
			turnstiletest.CrashTest(t, app, func(env *turnstiletest.Env) {
				s := &shop{Env: env}
				result, err := s.fulfil(order(), s.approve("Grace", approved))
				if err != nil || (result.Status == "shipped") != approved {
					t.Errorf("the result is %+v, %v", result, err)
				}
			})
		})
	}
}

func TestADurationThatIsNoneFailsTheOrder(t *testing.T) {
	t.Parallel()
	s := open(t)
	o := order()
	o.ApproveWithin = "soon"
	_, err := s.fulfil(o, nil)
	if failed, isFailed := errors.AsType[*client.OrchestrationError](err); !isFailed || failed.Code != "bad_duration" {
		t.Errorf("it ended with %v", err)
	}
	s.notes.want(t)
}

// The code replays the histories that earlier builds of this application have written: see
// docs/internal/testing.md. With TURNSTILE_KEEP=BUILD the other tests write their histories.
func TestV06HistoriesOfEarlierBuildsReplay(t *testing.T) {
	t.Parallel()
	turnstiletest.Replay(t, turnstile.NewApp(turnstile.Components(orders.Orchestrations())), histories+"/*/orders/*.json")
}

// notes records the calls of the services, and makes some fail.
type notes struct {
	broken []string

	mu   sync.Mutex
	made []string
	keys map[string]string
}

func (n *notes) note(what, key string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.made = append(n.made, what)
	if n.keys == nil {
		n.keys = map[string]string{}
	}
	if other, used := n.keys[key]; key == "" || used && other != what {
		return fmt.Errorf("%s and %s have the same key %q", what, other, key)
	}
	n.keys[key] = what
	if slices.Contains(n.broken, what) {
		return errors.New(what + " is broken")
	}
	return nil
}

// want compares the recorded calls.
func (n *notes) want(t *testing.T, want ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Equal(n.made, want) {
		t.Errorf("asked for were %v, want %v", n.made, want)
	}
}

type (
	warehouse struct {
		orders.Warehouse
		*notes
	}
	bank struct {
		orders.Bank
		*notes
	}
	carrier struct {
		orders.Carrier
		*notes
	}
	mail struct {
		orders.Mail
		*notes
	}
)

func (w warehouse) Reserve(ctx context.Context, key string, lines []orders.Line) (orders.Reservation, error) {
	if err := w.note("reserve", key); err != nil {
		return orders.Reservation{}, err
	}
	return w.Warehouse.Reserve(ctx, key, lines)
}

func (w warehouse) Release(ctx context.Context, key string, r orders.Reservation) error {
	if err := w.note("release", key); err != nil {
		return err
	}
	return w.Warehouse.Release(ctx, key, r)
}

func (b bank) Charge(ctx context.Context, key, card string, amount int64) (orders.Receipt, error) {
	if err := b.note("charge", key); err != nil {
		return orders.Receipt{}, err
	}
	return b.Bank.Charge(ctx, key, card, amount)
}

func (b bank) Refund(ctx context.Context, key string, r orders.Receipt) error {
	if err := b.note("refund", key); err != nil {
		return err
	}
	return b.Bank.Refund(ctx, key, r)
}

func (c carrier) Pack(ctx context.Context, key string, s orders.Shipment) (orders.Parcel, error) {
	if err := c.note("pack", key); err != nil {
		return orders.Parcel{}, err
	}
	return c.Carrier.Pack(ctx, key, s)
}

func (c carrier) HandOver(ctx context.Context, key string, p orders.Parcel) (orders.Tracking, error) {
	if err := c.note("hand over", key); err != nil {
		return orders.Tracking{}, err
	}
	return c.Carrier.HandOver(ctx, key, p)
}

func (m mail) Remind(ctx context.Context, key string, r orders.Reminder) error {
	if err := m.note(fmt.Sprintf("remind %d", r.Sent), key); err != nil {
		return err
	}
	return m.Mail.Remind(ctx, key, r)
}
