package console

import (
	"context"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/turncache"
	"github.com/turnstile-go/turnstile/store"
)

// mostTurnBytes bounds the memory of all histories that are kept.
const mostTurnBytes = 256 << 20

// turnCache keeps turns that were read. Recorded events never change, so for an instance that is
// open in a page only new turns are read. It is safe for concurrent use.
type turnCache struct {
	client *client.Client
	kept   *turncache.Cache
}

func newTurnCache(c *client.Client) *turnCache {
	return &turnCache{client: c, kept: turncache.New(mostTurnBytes)}
}

// read returns the turns of an execution of the instance described by d. The caller must not modify
// them.
func (c *turnCache) read(ctx context.Context, d *client.Description, execution int64) ([]store.Turn, error) {
	return c.kept.Read(turncache.Key{Instance: d.Instance, ExecutionID: execution, StartID: d.StartID}, func(from int64) ([]store.Turn, error) {
		return c.client.Turns(ctx, *d, execution, from)
	})
}
