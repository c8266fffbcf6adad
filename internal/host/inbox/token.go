package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// errKeys means that a key could not be read. The message is not at fault.
var errKeys = errors.New("host: key of a token")

// prove checks the token of a message, which needs no history. A parent's token is not recorded, so
// a message with a wrong token becomes a dead letter here. The engine checks the token of a
// completion, against the event that it completes.
func (d *Receiver) prove(ctx context.Context, m *Message) error {
	i, token := &m.Item, tokenOf(&m.Item)
	if token == "" {
		return nil
	}
	if err := d.Keys.Learn(ctx, token); err != nil {
		return fmt.Errorf("%w: %w", errKeys, err)
	}
	if p := i.Parent; p != nil {
		if d.Keys.Proves(p.Token, p.Instance, p.ExecutionID, p.EventID) {
			return nil
		}
		return d.DeadLetter(ctx, m, wire.ReasonForged, fmt.Sprintf("%s for instance %q: its parent's token does not match event %d of instance %q execution %d",
			i.Kind, i.Instance, p.EventID, p.Instance, p.ExecutionID))
	}
	m.Proven = d.Keys.Proves(token, i.Target(), i.TargetExecution(), i.SourceEventID)
	return nil
}

// KeysReady reports whether the keys of tokens are available. Without them no turn can be made,
// because outgoing messages need tokens. If it returns false, the unsettled messages of the batch
// return to their queue.
func (d *Receiver) KeysReady(ctx context.Context, messages []*Message) bool {
	left := Left(messages)
	if len(left) == 0 {
		return true
	}
	err := d.Keys.Ready(ctx)
	if err != nil {
		d.Logger.WarnContext(ctx, "key of the tokens cannot be read; messages return to the queue", "messages", len(left), "error", err)
		d.FailAll(left, "keys")
	}
	return err == nil
}

// tokenOf returns the token of a message, or the token of its parent.
func tokenOf(i *wire.Item) string {
	if i.Parent != nil {
		return i.Parent.Token
	}
	return i.Token
}

// missingKey returns an addition to the reason of a forged message if the stack has no key for its
// token.
func (d *Settler) missingKey(token string) string {
	if id, keyed := keyring.Keyed(token); keyed && !d.Keys.Knows(token) {
		return fmt.Sprintf("; the stack has no key %q: it was deleted, or the token is forged", id)
	}
	return ""
}
