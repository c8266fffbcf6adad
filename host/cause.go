package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// A wake, a terminate and a forced purge leave no fact by which a redelivery
// would find their commit. So the token of a turn that one of them caused ends
// with its mark: the token still is new for each content.

// causeOf returns the mark of an item, behind a separator.
func causeOf(i *wire.Item) string {
	sum := sha256.Sum256([]byte(string(i.Kind) + " " + i.ID))
	return "-" + hex.EncodeToString(sum[:8])
}

// locateCaused returns where the commits begin that a message without a fact
// caused: the last unbroken row of them, which may have begun in an earlier
// execution.
func (t *turn) locateCaused(ctx context.Context, m *message) (at place, found bool, err error) {
	return t.locateCause(ctx, causeOf(&m.item))
}

func (t *turn) locateCause(ctx context.Context, cause string) (at place, found bool, err error) {
	lowest := max(t.firstExecution(), 1, t.execution-int64(max(t.Settings.ContinueLimit, 20))-1)
	for n := t.execution; n >= lowest; n-- {
		turns, err := t.read(ctx, n)
		if corrupt(err) || err == nil && len(turns) == 0 {
			return at, found, nil
		}
		if err != nil {
			return place{}, false, err
		}
		i := lastCaused(turns, cause)
		if found && i != len(turns)-1 {
			return at, true, nil
		}
		if i < 0 {
			continue
		}
		for i > 0 && strings.HasSuffix(turns[i-1].Token, cause) {
			i--
		}
		at, found = place{n, turns[i].First()}, true
		if i > 0 {
			return at, true, nil
		}
	}
	return at, found, nil
}

func lastCaused(turns []store.Turn, cause string) int {
	for i := len(turns) - 1; i >= 0; i-- {
		if strings.HasSuffix(turns[i].Token, cause) {
			return i
		}
	}
	return -1
}
