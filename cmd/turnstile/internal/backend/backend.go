// Package backend is what commands work on: a deployed stack on AWS, or a program that
// serves its console, such as the one that `turnstile dev` runs on a SQLite file.
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

// Backend opens what commands work on when they need it.
type Backend interface {
	// Place is where it is, as it was found: a stack by its name may be another one with other
	// credentials.
	Place(ctx context.Context) (Place, error)
	// Instances starts instances, acts on them and reads them.
	Instances(ctx context.Context) (Instances, error)
	// Client is the client that the console is made of. A server has a console already, and
	// returns an error.
	Client(ctx context.Context) (*client.Client, error)
	// Letters are the dead letters; wait is how long each look into a queue waits for a
	// message.
	Letters(ctx context.Context, wait time.Duration) (letters.Letters, error)
	// Stack turns the event sources of the stack off and on.
	Stack(ctx context.Context) (pausing.Stack, error)
	// Checks are those of doctor, except that of instances; own is the build of this command.
	Checks(now func() time.Time, own api.Build) []doctor.Check
	// Console is what the console shows besides instances; poll is how long a look into a
	// dead-letter queue waits for a message.
	Console(ctx context.Context, poll time.Duration) ([]console.Option, error)
	// Archived reads an execution that retention has archived: s3://BUCKET/KEY.
	Archived(ctx context.Context, object string) ([]byte, error)
}
