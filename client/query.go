package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/around"
	"github.com/turnstile-go/turnstile/internal/querying"
	"github.com/turnstile-go/turnstile/internal/turncache"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// QueryRequest is an untyped query for [Client.Query]. Programs that have the declaration use [Query].
type QueryRequest struct {
	// Instance to query.
	Instance string `json:"instance"`
	// Name of the query.
	Name string `json:"name"`
	// Input is JSON; nil for none.
	Input json.RawMessage `json:"input,omitempty"`
	// Headers are for the interceptors of the process that answers, such as the context of a trace: at
	// most 16, with 4,096 bytes in all. They are not recorded.
	Headers map[string]string `json:"headers,omitempty"`
}

// QueryAnswer is the answer to a query.
type QueryAnswer[T any] struct {
	Value T `json:"value"`
	// ExecutionID of the execution that answered.
	ExecutionID int64 `json:"execution_id"`
	// ReadTo is the last event that the code had processed when it answered, and LastEventID the last
	// event of the history. ReadTo is lower while the instance is suspended or stuck, or if events were
	// recorded that its code has not processed yet.
	ReadTo      int64 `json:"read_to"`
	LastEventID int64 `json:"last_event_id"`
	// Problem is why the code cannot process the events after ReadTo; nil if it can.
	Problem *store.Problem `json:"problem,omitempty"`
}

// askedBytes is the memory for histories of instances that were queried.
const askedBytes = 32 << 20

// Querier answers queries: a [Client] whose process has the code, or a caller of the query function of a
// stack. Its errors are those of [Client.Query].
type Querier interface {
	Query(ctx context.Context, r QueryRequest) (QueryAnswer[json.RawMessage], error)
}

// ErrNoQueries means that the client has neither the code of the application nor a way to ask a process that has it.
var ErrNoQueries = errors.New("turnstile: this client cannot ask queries: it has neither the application (Config.App, WithApp) nor a query function (Config.Queries)")

// QueryError is returned if a query has no answer.
type QueryError struct {
	// Instance that was queried, and its orchestration.
	Instance      string `json:"instance"`
	Orchestration string `json:"orchestration"`
	// Query is the name of the query.
	Query string `json:"query"`
	// Kind is "unknown" if the code has no handler of that name, "not_run" if the code has not run yet, "not_registered"
	// if the queried build lacks the orchestration, "disagrees" if its code no longer agrees with the history,
	// "durable_call", "panic" or "failed" if the handler made a durable call, panicked or returned an error (as an
	// interceptor may), and "blocked" if there was no answer within 10 seconds.
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// EventID at which the code disagrees; 0 for other kinds.
	EventID int64 `json:"event_id,omitempty"`
	// Stack of a panic, or of the code that blocks; empty for most other kinds.
	Stack string `json:"stack,omitempty"`
}

func (e *QueryError) Error() string {
	return fmt.Sprintf("turnstile: query %q of instance %q (%s): %s", e.Query, e.Instance, e.Orchestration, e.Message)
}

// Query asks the code of an instance a question ([turnstile.Query]). The code answers from the variables
// that it has after the last event that it has processed. Nothing is recorded or sent, and the instance
// does not notice: it may be running, suspended, stuck or ended.
//
//	answer, err := client.Query(ctx, c, Estimate, "order-17", Place{Country: "NO"})
//
// A query reads the record and the history of the current execution, and replays the history. A
// client that has queried the instance before reads only the record, the last turn that it knows,
// and later turns. For that, the client keeps up to 32 MiB of decoded histories.
//
// Errors: [*NotFoundError], [*QueryError], [ErrNoQueries]; [*turnstile.EncodeError],
// [*turnstile.PayloadTooLargeError] for the input, [*turnstile.DecodeError] for the output;
// [*store.CorruptError] if the history is damaged, and a [*codec.UnknownError] if it cannot be decoded.
func Query[In, Out any](ctx context.Context, c *Client, q turnstile.Query[In, Out], instance string, in In) (QueryAnswer[Out], error) {
	input, err := encode(in, "input of query", q.Name())
	if err != nil {
		return QueryAnswer[Out]{}, err
	}
	a, err := c.Query(ctx, QueryRequest{Instance: instance, Name: q.Name(), Input: input})
	if err != nil {
		return QueryAnswer[Out]{}, err
	}
	value, err := decode[Out](a.Value, "output of query", q.Name())
	return QueryAnswer[Out]{Value: value, ExecutionID: a.ExecutionID, ReadTo: a.ReadTo, LastEventID: a.LastEventID, Problem: a.Problem}, err
}

// CanQuery reports whether the client has what [Client.Query] needs: Config.App or Config.Queries.
func (c *Client) CanQuery() bool { return c.cfg.Queries != nil || c.cfg.App != nil }

// Query is the untyped form of [Query].
func (c *Client) Query(ctx context.Context, r QueryRequest) (QueryAnswer[json.RawMessage], error) {
	none := QueryAnswer[json.RawMessage]{}
	if err := errors.Join(validInstance(r.Instance), validName("query", r.Name)); err != nil {
		return none, err
	}
	if len(r.Input) > turnstile.MaxPayload {
		return none, &turnstile.PayloadTooLargeError{What: "input of query", Name: r.Name, Size: len(r.Input), Limit: turnstile.MaxPayload}
	}
	if !c.CanQuery() {
		return none, ErrNoQueries
	}
	a := none
	item := wire.Item{Instance: r.Instance, Name: r.Name, Headers: r.Headers}
	err := c.intercepted(ctx, "query", item, r.Input, func(ctx context.Context, item wire.Item) (err error) {
		if r.Headers = item.Headers; c.cfg.Queries != nil {
			a, err = c.cfg.Queries.Query(ctx, r)
		} else {
			a, err = c.ask(ctx, r)
		}
		return err
	})
	if err != nil {
		return none, err
	}
	return a, nil
}

// ask answers a query with the code of the application.
func (c *Client) ask(ctx context.Context, r QueryRequest) (QueryAnswer[json.RawMessage], error) {
	none := QueryAnswer[json.RawMessage]{}
	d, err := c.Describe(ctx, r.Instance)
	if err != nil {
		return none, err
	}
	turns, execution, err := c.readBy(ctx, d, 0, func(d *Description, of int64) ([]store.Turn, error) {
		return c.asked.Read(turncache.Key{Instance: d.Instance, ExecutionID: of, StartID: d.StartID}, func(from int64) ([]store.Turn, error) {
			turns, err := c.cfg.Store.Read(ctx, d.Instance, of, from)
			return turns, errors.Join(err, c.cfg.Codecs.DecodeTurns(turns))
		})
	})
	if err != nil {
		return none, err
	}
	call := &turnstile.QueryCall{Instance: r.Instance, Orchestration: d.Name, ExecutionID: execution, Name: r.Name, Input: r.Input, RequestHeaders: r.Headers}
	if start := turns[0].Events[0].Start; start != nil {
		call.Headers = start.Headers
	}
	var a querying.Answer
	err = c.interceptAnswer(ctx, call, func(ctx context.Context) (err error) {
		of := querying.Of{Instance: r.Instance, ExecutionID: execution, Query: r.Name, Input: r.Input, NowMS: c.cfg.Clock.Now().UnixMilli(), Encoded: c.cfg.Codecs != nil}
		a, err = querying.Ask(ctx, c.cfg.App.Orchestrations(), of, turns)
		call.Output = a.Output
		return err
	})
	if refused, ok := errors.AsType[*querying.Error](err); ok {
		return none, &QueryError{Instance: r.Instance, Orchestration: d.Name, Query: r.Name, Kind: refused.Kind, Message: refused.Message, EventID: refused.EventID, Stack: refused.Stack}
	}
	if err != nil {
		return none, fmt.Errorf("turnstile: query %q of instance %q: %w", r.Name, r.Instance, err)
	}
	return QueryAnswer[json.RawMessage]{Value: a.Output, ExecutionID: execution, ReadTo: a.ReadTo, LastEventID: a.Last, Problem: a.Problem}, nil
}

// interceptAnswer runs the interceptors of the application around ask. An error or a panic of an
// interceptor becomes a *querying.Error.
func (c *Client) interceptAnswer(ctx context.Context, call *turnstile.QueryCall, ask func(context.Context) error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *around.Panic:
			text := v.Error()
			if c.cfg.Codecs != nil {
				text = v.Plain()
			}
			err = &querying.Error{Kind: querying.Panicked, Message: text, Stack: string(debug.Stack())}
		case *turnstile.MisuseError:
			err = &querying.Error{Kind: querying.Panicked, Message: v.Error()}
		default:
			panic(v)
		}
	}()
	var inner error
	err = c.cfg.App.InterceptQuery(ctx, call, func(ctx context.Context) error {
		inner = ask(ctx)
		return inner
	})
	if err != nil && (inner == nil || !errors.Is(err, inner)) {
		return &querying.Error{Kind: querying.Failed, Message: err.Error(), Err: err}
	}
	return err
}
