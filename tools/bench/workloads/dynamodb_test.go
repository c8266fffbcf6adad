package workloads_test

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/keyring"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/store/metering"
	"github.com/turnstile-go/turnstile/store/dynamo"
	"github.com/turnstile-go/turnstile/tools/bench/dynamolocal"
)

// inMemory is a database in memory that counts as DynamoDB does.
func inMemory(*testing.T) database {
	c := &counter{}
	return database{c, metering.New(storememory.New(), dynamo.Config{}, c.meter), storememory.NewActivities(time.Now), &keyring.Memory{}, &counter{}}
}

// onDynamoDB is a database on DynamoDB Local, which says what it would charge.
func onDynamoDB(t *testing.T) database {
	t.Helper()
	c := &counter{}
	client, config := dynamolocal.Tables(t, "workloads")
	keys := dynamo.NewKeys(client, config)
	config.Meter = c.meter
	own, ofActivities := config, &counter{}
	own.Meter = func(u dynamo.Usage) {
		c.meter(u)
		ofActivities.meter(u)
	}
	return database{c, dynamo.New(client, config), dynamo.NewActivities(client, own), keys, ofActivities}
}

// What one of each workload writes and sends where nothing else runs, on a store in
// memory and on DynamoDB Local: the same. Of a fan-out it depends on the moment how
// many results one turn takes, ten of them at most.
func TestEachWritesWhatIsCounted(t *testing.T) {
	t.Parallel()
	want := map[string]struct {
		least, most requests
	}{
		"HelloSequence5":  exactly(requests{Writes: 6, WriteUnits: 22, Messages: 11}),
		"FanOutFanIn1000": {requests{Writes: 1 + 1000/10, WriteUnits: 200, Messages: 2001}, requests{Writes: 1 + 1000, WriteUnits: 2000, Messages: 2001}},
		"Bank":            exactly(requests{Writes: 9, WriteUnits: 57, Messages: 9}), // two accounts opened and closed, one transfer
		"TripBooked":      exactly(requests{Writes: 4, WriteUnits: 20, Messages: 7}),
		"TripNoCar":       exactly(requests{Writes: 7, WriteUnits: 23, Messages: 13}),
	}
	for name, open := range map[string]func(t *testing.T) database{"memory": inMemory, "DynamoDB Local": onDynamoDB} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			e := newEnvironment(t, embedded.WithDatabase(db))
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
			defer cancel()
			for _, l := range all {
				before := db.now()
				if err := l.run(ctx, e, l.name, 1); err != nil {
					t.Fatal(err)
				}
				if err := e.Drain(ctx); err != nil {
					t.Fatal(err)
				}
				got, want := db.now().minus(before), want[l.name]
				t.Logf("%s: %+v", l.name, got)
				if got.below(want.least) || want.most.below(got) {
					t.Errorf("%s took %+v, want from %+v to %+v", l.name, got, want.least, want.most)
				}
			}
		})
	}
}

func exactly(r requests) struct{ least, most requests } { return struct{ least, most requests }{r, r} }
