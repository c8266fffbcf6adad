// Package backend is the target of commands: a deployed stack on AWS, or a program that serves its
// console, such as the one that `turnstile dev` runs with an SQLite file.
package backend

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/letters"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Backend opens the parts of the target that a command needs.
type Backend interface {
	// Place identifies the target. The name of a stack does not, because with other credentials
	// it may be another stack.
	Place(ctx context.Context) (Place, error)
	// Instances returns the client for instances.
	Instances(ctx context.Context) (Instances, error)
	// Client returns the client for a console. A server already has a console and returns an error.
	Client(ctx context.Context) (*client.Client, error)
	// Letters returns the dead letters; wait is how long each read of a queue waits for a message.
	Letters(ctx context.Context, wait time.Duration) (letters.Letters, error)
	// Stack returns the event sources, to turn them off and on.
	Stack(ctx context.Context) (pausing.Stack, error)
	// Checks returns the checks of doctor except that of instances; own is the build of this
	// command.
	Checks(now func() time.Time, own api.Build) []doctor.Check
	// Console returns the options of a console; poll is how long a read of a dead-letter queue
	// waits for a message.
	Console(ctx context.Context, poll time.Duration) ([]console.Option, error)
	// Archived reads an archived execution, s3://BUCKET/KEY.
	Archived(ctx context.Context, object string) ([]byte, error)
}
