package awslambda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// RunQueries serves the query function, which answers client.Query with the code of the orchestrations: pass
// the application of the orchestrator, with the same codecs. Its role only reads the tables of histories and
// instances, and it has no event source. A caller that may invoke the function may make every query of every
// instance. See [RunOrchestrator] for how it starts and ends.
func RunQueries(app *turnstile.App, opts ...Option) {
	q, err := newQueryFunction(app, os.Environ(), opts...)
	if err != nil {
		exit(opts, err)
	}
	lambda.Start(q.Handle)
}

// queryFunction handles the invocations of the query function.
type queryFunction struct {
	client *client.Client
	logger *slog.Logger
	flush  func(context.Context) error
}

func newQueryFunction(app *turnstile.App, environ []string, opts ...Option) (*queryFunction, error) {
	o := collect(opts)
	env, err := o.read(queryConfig, environ)
	if err != nil {
		return nil, err
	}
	if err := app.Err(); err != nil {
		return nil, err
	}
	if err := o.configure(); err != nil {
		return nil, err
	}
	c, err := client.New(client.Config{Queue: noQueue{}, Codecs: o.codecs, App: app,
		Store: dynamo.New(dynamodb.NewFromConfig(*o.aws), dynamo.Config{Tables: dynamo.Tables{History: env.HistoryTable, Instances: env.InstancesTable}})})
	if err != nil {
		return nil, err
	}
	return &queryFunction{client: c, logger: o.logTo(env.LogLevel), flush: o.flush}, nil
}

// noQueue is the queue of a client that only reads.
type noQueue struct{ queue.Queue }

func (noQueue) FIFO() bool { return true }

// queryAnswer is what the query function returns: one of its fields is set.
type queryAnswer struct {
	Answer   *client.QueryAnswer[json.RawMessage] `json:"answer,omitempty"`
	Refused  *client.QueryError                   `json:"refused,omitempty"`
	NotFound *client.NotFoundError                `json:"not_found,omitempty"`
	// Error is the text of any other error.
	Error string `json:"error,omitempty"`
}

// Handle answers one query.
func (q *queryFunction) Handle(ctx context.Context, r struct {
	client.QueryRequest
	Records json.RawMessage `json:"Records"`
}) (queryAnswer, error) {
	defer flushed(ctx, q.logger, q.flush)
	if r.Records != nil {
		return queryAnswer{}, errors.New("turnstile: this is the query function, and it received messages from a queue or a stream: remove its event source, and send messages to the orchestrator queue")
	}
	var out queryAnswer
	a, err := q.client.Query(ctx, r.QueryRequest)
	switch {
	case err == nil:
		out.Answer = &a
	case errors.As(err, &out.Refused), errors.As(err, &out.NotFound):
	default:
		out.Error = err.Error()
	}
	return out, nil
}

// WithQueries makes a client send its queries to the stack's query function. invoke must invoke that function
// synchronously with the payload and return its response, or an error if the invocation failed:
//
//	awslambda.WithQueries(func(ctx context.Context, payload []byte) ([]byte, error) {
//		out, err := functions.Invoke(ctx, &lambda.InvokeInput{FunctionName: &name, Payload: payload})
//		switch {
//		case err != nil:
//			return nil, err
//		case out.FunctionError != nil:
//			return nil, errors.New(string(out.Payload))
//		}
//		return out.Payload, nil
//	})
//
// functions is a client of github.com/aws/aws-sdk-go-v2/service/lambda, which this module does not depend on,
// and name is the stack's output QueryFunction. The managed policy in the output QueryPolicyArn allows the
// invocation. WithQueries has no effect on a function.
func WithQueries(invoke func(ctx context.Context, payload []byte) ([]byte, error)) Option {
	return option(func(o *options) { o.queries = remoteQueries(invoke) })
}

// remoteQueries invokes the query function.
type remoteQueries func(ctx context.Context, payload []byte) ([]byte, error)

func (invoke remoteQueries) Query(ctx context.Context, r client.QueryRequest) (client.QueryAnswer[json.RawMessage], error) {
	fail := func(err error) (client.QueryAnswer[json.RawMessage], error) {
		return client.QueryAnswer[json.RawMessage]{}, err
	}
	payload, err := json.Marshal(r)
	if err != nil {
		return fail(err)
	}
	data, err := invoke(ctx, payload)
	if err != nil {
		return fail(fmt.Errorf("turnstile: query %q of instance %q: the query function: %w", r.Name, r.Instance, err))
	}
	var out queryAnswer
	if err := json.Unmarshal(data, &out); err != nil {
		return fail(fmt.Errorf("turnstile: query %q of instance %q: the response of the query function cannot be decoded: %w", r.Name, r.Instance, err))
	}
	switch {
	case out.Answer != nil:
		return *out.Answer, nil
	case out.Refused != nil:
		return fail(out.Refused)
	case out.NotFound != nil:
		return fail(out.NotFound)
	}
	return fail(fmt.Errorf("turnstile: query %q of instance %q: %s", r.Name, r.Instance, out.Error))
}
