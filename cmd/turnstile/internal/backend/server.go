package backend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/letters"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/console"
)

// server is what stands behind a console.
type server struct {
	settings *Settings
	url      string
	// what it is, for errors.
	what string
	// folder of its project, if `turnstile dev` runs it.
	folder string
	err    error
}

// remotePause is between two looks at what is waited for.
const remotePause = 250 * time.Millisecond

func (b server) client() *remote.Client {
	return remote.New(b.url, b.settings.Actor, nil, func(ctx context.Context) bool {
		wait := time.NewTimer(remotePause)
		defer wait.Stop()
		select {
		case <-ctx.Done():
			return false
		case <-wait.C:
			return true
		}
	})
}

// Instances implements [Backend].
func (b server) Instances(context.Context) (Instances, error) {
	return ofConsole{b.client()}, b.err
}

// Client implements [Backend].
func (b server) Client(context.Context) (*client.Client, error) {
	return nil, errors.Join(b.err, fmt.Errorf("%s has a console already: %s", b.what, b.url))
}

// Letters implements [Backend].
func (b server) Letters(context.Context, time.Duration) (letters.Letters, error) {
	return letters.OfConsole{Client: b.client()}, b.err
}

// Stack implements [Backend]: its sources are the activity queues, where the program pauses
// them.
func (b server) Stack(ctx context.Context) (pausing.Stack, error) {
	if b.err != nil {
		return nil, errors.Join(b.err, pausing.NoSources(b.what))
	}
	return ServedStack(ctx, b.client(), b.what)
}

// Console implements [Backend].
func (b server) Console(ctx context.Context, _ time.Duration) ([]console.Option, error) {
	_, err := b.Client(ctx)
	return nil, err
}

// Archived implements [Backend]: a bucket is on AWS, wherever instances are.
func (b server) Archived(ctx context.Context, object string) ([]byte, error) {
	return NewAWS(b.settings).Archived(ctx, object)
}

// ofConsole is a console as commands use it.
type ofConsole struct{ *remote.Client }

func (c ofConsole) Fail(ctx context.Context, token string, f Failure) error {
	return c.Client.Fail(ctx, token, f.Message, f.Code, f.Details)
}

// Start checks the name first, so that it is an error of the command line here too.
func (c ofConsole) Start(ctx context.Context, r client.StartRequest) (client.Started, error) {
	if r.Name == "" {
		return client.Started{}, &turnstile.InvalidArgumentError{Argument: "orchestration name", Problem: "it is empty"}
	}
	return c.Client.Start(ctx, r)
}
