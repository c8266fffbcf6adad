package workloads_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/keyring"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/store/metering"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// inMemory is a database in memory that counts as DynamoDB does.
func inMemory(*testing.T) database {
	c := &counter{}
	return database{c, metering.New(storememory.New(), dynamo.Config{}, c.meter), storememory.NewActivities(time.Now), &keyring.Memory{}, &counter{}}
}

// onDynamoDB is a database on DynamoDB Local, which says what it would charge.
func onDynamoDB(t *testing.T) database {
	t.Helper()
	url := os.Getenv("TURNSTILE_DYNAMODB_ENDPOINT")
	if url == "" {
		t.Skip("NOT RUN: needs DynamoDB Local (TURNSTILE_DYNAMODB_ENDPOINT); `make test` starts it and runs this")
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	t.Cleanup(transport.CloseIdleConnections)
	client := dynamodb.New(dynamodb.Options{
		Region: "eu-central-1", BaseEndpoint: aws.String(url), HTTPClient: &http.Client{Transport: transport, Timeout: 30 * time.Second},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
	c := &counter{}
	prefix := fmt.Sprintf("workloads-%d-%d-", os.Getpid(), time.Now().UnixNano())
	config := dynamo.Config{Tables: dynamo.Tables{History: prefix + "history", Instances: prefix + "instances", Activities: prefix + "activities", Keys: prefix + "keys"}}
	if err := dynamo.CreateTables(t.Context(), client, config); err != nil {
		t.Fatal(err)
	}
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
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
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
