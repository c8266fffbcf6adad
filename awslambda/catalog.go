package awslambda

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/catalog"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// catalogNote stores once what this build contains, so that consoles can offer it.
type catalogNote struct {
	mu     sync.Mutex
	tries  int  // that were started
	busy   bool // a try is in progress
	stored bool
	app    *turnstile.App
	serves string
	to     interface {
		NoteBuild(context.Context, dynamo.Build) error
	}
	logger *slog.Logger
}

// longestNote is how long a try to store it may take. A process tries during its first invocation and,
// if that fails, during each following one, up to mostNotes times. Nothing depends on the note.
const (
	longestNote = 2 * time.Second
	mostNotes   = 5
)

// start stores the note in the background. The caller calls wait before its invocation ends, because
// Lambda then freezes the process. The nil note does nothing.
func (n *catalogNote) start(ctx context.Context) (wait func()) {
	if n == nil {
		return func() {}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stored || n.busy || n.tries == mostNotes {
		return func() {}
	}
	n.tries++
	n.busy = true
	var noting sync.WaitGroup
	noting.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, longestNote)
		defer cancel()
		err := n.note(ctx)
		n.mu.Lock()
		defer n.mu.Unlock()
		n.busy, n.stored = false, err == nil
		if err != nil {
			n.logger.WarnContext(ctx, "the names and types of this build were not stored: the console's forms do not offer them; nothing else depends on it", "error", err.Error(), "try", n.tries, "tries", mostNotes)
		}
	})
	return noting.Wait
}

func (n *catalogNote) note(ctx context.Context) error {
	var own []catalog.Declaration
	for _, d := range n.app.Declared() {
		// The orchestrator also has activities, those that run inline. The catalog leaves these
		// activities out, because a token cannot complete them.
		if (d.Kind == catalog.Activity) == (n.serves == servesActivities) {
			own = append(own, d)
		}
	}
	text, err := json.Marshal(catalog.Entries(own))
	if err != nil {
		return err
	}
	return n.to.NoteBuild(ctx, dynamo.Build{Serves: n.serves, ID: buildName(), Since: time.Now(), Catalog: text})
}

// What a function runs.
const (
	servesOrchestrations = "orchestrations"
	servesActivities     = "activities"
)
