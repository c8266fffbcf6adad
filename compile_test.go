package turnstile_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/compiled"
)

// declarations is the beginning of each program below.
const declarations = `package shop

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

type (
	Order   struct{ ID string }
	Receipt struct{ ID string }
)

var (
	Charge   = turnstile.NewActivity[Order, Receipt]("Charge")
	Ship     = turnstile.NewActivity[Order, int]("Ship")
	Fulfil   = turnstile.NewOrchestration[Order, Receipt]("Fulfil")
	Approved = turnstile.NewEvent[Order]("approved")

	_, _, _, _, _ = context.Background, errors.New, http.NewRequestWithContext, time.Second, client.New
)

func charge(ctx context.Context, o Order) (Receipt, error) { return Receipt{}, nil }
`

// As far as Go permits, wrong code does not compile. Each program is compiled twice: in its correct
// form, and with a mistake.
func TestWrongCodeDoesNotCompile(t *testing.T) {
	t.Parallel()
	compile := compiler(t)
	for name, c := range map[string]struct {
		code, right, wrong string
		want               string // in the compiler's words
	}{
		"an activity is called with its input": {
			`func f(ctx turnstile.Context, o Order) { Charge.Call(ctx, RIGHT) }`, `o`, `o.ID`, "as Order value"},
		"a result has its type": {
			`func f(ctx turnstile.Context, o Order) { var r RIGHT; r, _ = Charge.Call(ctx, o); _ = r }`, `Receipt`, `Order`, "cannot use"},
		"an inline activity is called with its input": {
			`func f(ctx turnstile.Context, o Order) { Charge.Inline(ctx, RIGHT) }`, `o`, `Receipt{}`, "as Order value"},
		"a child is called with its input": {
			`func f(ctx turnstile.Context, o Order) { Fulfil.Call(ctx, RIGHT) }`, `o`, `1`, "as Order value"},
		"an orchestration continues with its own input": {
			`func f(ctx turnstile.Context, o Order) error { return Fulfil.ContinueAsNew(ctx, RIGHT) }`, `o`, `Receipt{}`, "as Order value"},
		"an event has its data": {
			`func f(ctx context.Context, c *client.Client, o Order) { client.Raise(ctx, c, Approved, "a", RIGHT) }`, `o`, `true`, "as Order value"},
		"a future has its type": {
			`func f(ctx turnstile.Context, o Order) { n, _ := RIGHT.Start(ctx, o).Await(ctx); _ = n + 1 }`, `Ship`, `Charge`, "mismatched types"},
		"a join is of one type": {
			`func f(ctx turnstile.Context, o Order) { turnstile.Join(ctx, Charge.Start(ctx, o), RIGHT.Start(ctx, o)) }`, `Charge`, `Ship`, "does not match"},
		"a map takes the items of its function": {
			`func f(ctx turnstile.Context) { turnstile.Map(ctx, RIGHT{}, 3, Charge.Call) }`, `[]Order`, `[]Receipt`, "does not match"},
		"what is not under way can't be selected": {
			`func f(ctx turnstile.Context, o Order) { turnstile.Select(ctx, RIGHT) }`, `Charge.Start(ctx, o)`, `o`, "does not implement turnstile.Awaitable"},
		"only this package makes futures": {
			`type mine struct{ RIGHT }; func (mine) Ready() bool { return true }; func (mine) Cancel(string) error { return nil }; var _ turnstile.Awaitable = mine{}`,
			`turnstile.Future[int]`, `int`, "does not implement turnstile.Awaitable"},

		"the context of an orchestration is not for I/O": {
			`func f(ctx turnstile.Context, io context.Context) { http.NewRequestWithContext(RIGHT, "GET", "/", nil) }`, `io`, `ctx`, "does not implement context.Context"},
		"it has no channel to wait on": {
			`func f(ctx turnstile.Context, io context.Context) { <-RIGHT.Done() }`, `io`, `ctx`, "ctx.Done undefined"},
		"it does not go to the code of an activity": {
			`func f(ctx turnstile.Context, io context.Context, o Order) { charge(RIGHT, o) }`, `io`, `ctx`, "does not implement context.Context"},
		"a client is not for orchestrations": {
			`func f(ctx turnstile.Context, io context.Context, c *client.Client, o Order) { client.Start(RIGHT, c, Fulfil, o) }`, `io`, `ctx`, "does not implement context.Context"},
		"activities make no durable calls": {
			`func f(ctx turnstile.Context, io context.Context, o Order) { Charge.Call(RIGHT, o) }`, `ctx`, `io`, "as turnstile.Context value"},
		"nor do they wait durably": {
			`func f(ctx turnstile.Context, io context.Context) { turnstile.Sleep(RIGHT, time.Hour) }`, `ctx`, `io`, "as turnstile.Context value"},
		"an orchestration sends no heartbeats": {
			`func f(ctx turnstile.Context, io context.Context) { turnstile.Heartbeat(RIGHT, 1) }`, `io`, `ctx`, "does not implement context.Context"},

		"the code of an activity is one of an activity": {
			`func f(ctx RIGHT, o Order) (Receipt, error) { return Receipt{}, nil }; var _ = Charge.Implement(f)`, `context.Context`, `turnstile.Context`, "cannot use f"},
		"the code of an orchestration is one of an orchestration": {
			`func f(ctx RIGHT, o Order) (Receipt, error) { return Receipt{}, nil }; var _ = Fulfil.Implement(f)`, `turnstile.Context`, `context.Context`, "cannot use f"},
		"it has the declared types": {
			`func f(ctx turnstile.Context, o Order) (RIGHT, error) { panic(0) }; var _ = Fulfil.Implement(f)`, `Receipt`, `string`, "cannot use f"},
		"options of activities are for activities": {
			`var _ = RIGHT.With(turnstile.AttemptTimeout(time.Second))`, `Charge`, `Fulfil`, "does not implement turnstile.OrchestrationOption"},
		"a retry policy is no option by itself": {
			`var _ = Charge.With(RIGHT)`, `turnstile.Retry(turnstile.RetryPolicy{})`, `turnstile.RetryPolicy{}`, "does not implement turnstile.ActivityOption"},
		"options of a start are for a start": {
			`func f(ctx turnstile.Context, o Order) { Fulfil.With(RIGHT("a")).Call(ctx, o) }`, `turnstile.InstanceID`, `client.WithInstanceID`, "does not implement turnstile.OrchestrationOption"},
		"options of orchestrations are for orchestrations": {
			`var _ = RIGHT.With(turnstile.StrictOrder())`, `Fulfil`, `Charge`, "does not implement turnstile.ActivityOption"},
		"a start has no retries": {
			`func f(ctx context.Context, c *client.Client, o Order) { client.Start(ctx, c, Fulfil, o, RIGHT) }`, `client.WithInstanceID("a")`, `turnstile.Retry(turnstile.RetryPolicy{})`, "does not implement client.StartOption"},
		"an application is made of implementations": {
			`var _ = turnstile.NewApp(RIGHT)`, `Charge.Implement(charge)`, `Charge`, "does not implement turnstile.Component"},
	} {
		t.Run(name, func(t *testing.T) { // Not parallel, because they share the loaded packages.
			if err := compile(declarations + strings.ReplaceAll(c.code, "RIGHT", c.right)); err != nil {
				t.Fatalf("what is right does not compile: %v", err)
			}
			err := compile(declarations + strings.ReplaceAll(c.code, "RIGHT", c.wrong))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("with %s the compiler says %v, want an error with %q", c.wrong, err, c.want)
			}
		})
	}
}

// compiler returns a function that type-checks a program against this package, as the compiler
// does.
func compiler(t *testing.T) func(source string) error {
	t.Helper()
	set := token.NewFileSet()
	packages := compiled.Importer(t, set, "", ".", "./client", "net/http")
	return func(source string) error {
		file, err := parser.ParseFile(set, "shop.go", source, 0)
		if err != nil {
			return err
		}
		var found []error
		config := types.Config{Importer: packages, Error: func(err error) { found = append(found, err) }}
		_, _ = config.Check("shop", set, []*ast.File{file}, nil)
		return errors.Join(found...)
	}
}
