package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

const (
	// knownBuilds is the number of builds to read for each function, catalogKept the time for
	// which they are cached.
	knownBuilds = 4
	catalogKept = 30 * time.Second
)

// catalog returns the reader of the builds that the functions of the stack have recorded. It makes
// no request before it is used.
func (b AWS) catalog() console.CatalogReader {
	return &awsCatalog{now: time.Now, open: func(ctx context.Context) (buildsTable, error) {
		cfg, found, err := b.Addresses(ctx, address.ActivitiesTable)
		if err != nil {
			return nil, err
		}
		tables := dynamo.Config{Tables: dynamo.Tables{Activities: found[address.ActivitiesTable]}}
		return dynamo.NewActivities(dynamodb.NewFromConfig(cfg), tables), nil
	}}
}

type buildsTable interface {
	Builds(ctx context.Context, most int) ([]dynamo.Build, error)
}

type awsCatalog struct {
	open func(context.Context) (buildsTable, error)
	now  func() time.Time

	mu   sync.Mutex
	read time.Time
	kept []console.Build
}

// Catalog implements console.CatalogReader.
func (a *awsCatalog) Catalog(ctx context.Context) ([]console.Build, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.now(); a.read.IsZero() || now.Sub(a.read) > catalogKept {
		table, err := a.open(ctx)
		if err != nil {
			return nil, err
		}
		found, err := table.Builds(ctx, knownBuilds)
		if err != nil {
			return nil, fmt.Errorf("reading the catalog of the functions: %w", err)
		}
		a.kept = nil
		for _, b := range found {
			one := console.Build{ID: b.ID, Serves: b.Serves, Since: b.Since}
			// A catalog that cannot be decoded, such as that of a later version, is shown as empty.
			if json.Unmarshal(b.Catalog, &one.Entries) != nil {
				one.Entries = nil
			}
			a.kept = append(a.kept, one)
		}
		a.read = now
	}
	return a.kept, nil
}
