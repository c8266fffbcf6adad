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
	"github.com/turnstile-go/turnstile/internal/clock"
)

// server is a program that serves its console.
type server struct {
	settings *Settings
	url      string
	// what names the program in errors.
	what string
	// folder is the project's folder, if `turnstile dev` runs the program.
	folder string
	err    error
}

// remotePause is the time between two polls.
const remotePause = 250 * time.Millisecond

func (b server) client() *remote.Client {
	return remote.New(b.url, b.settings.Actor, nil, func(ctx context.Context) bool {
		return clock.Sleep(ctx, clock.Wall{}, remotePause) == nil
	})
}

// Instances implements [Backend].
func (b server) Instances(context.Context) (Instances, error) {
	return ofConsole{b.client()}, b.err
}

// Client implements [Backend].
func (b server) Client(context.Context) (*client.Client, error) {
	return nil, errors.Join(b.err, fmt.Errorf("%s already has a console: %s", b.what, b.url))
}

// Letters implements [Backend].
func (b server) Letters(context.Context, time.Duration) (letters.Letters, error) {
	return letters.OfConsole{Client: b.client()}, b.err
}

// Stack implements [Backend]. The sources are the activity queues, if the program can pause them.
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

// Archived implements [Backend]. The bucket is on AWS, even if the instances are not.
func (b server) Archived(ctx context.Context, object string) ([]byte, error) {
	return NewAWS(b.settings).Archived(ctx, object)
}

// ofConsole adapts a console's client to Instances.
type ofConsole struct{ *remote.Client }

// Start checks the name first, so that an empty name is a usage error here too.
func (c ofConsole) Start(ctx context.Context, r client.StartRequest) (client.Started, error) {
	if r.Name == "" {
		return client.Started{}, &turnstile.InvalidArgumentError{Argument: "orchestration name", Problem: "it is empty"}
	}
	return c.Client.Start(ctx, r)
}
