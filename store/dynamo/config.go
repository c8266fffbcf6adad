package dynamo

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/store"
)

// Client has the methods of *dynamodb.Client that the store calls.
type Client interface {
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
	TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error)
}

// Tables are the names of the tables.
type Tables struct {
	History    string
	Instances  string
	Activities string
	Keys       string
}

// Config configures a Store, Activities or Keys. Only Tables is required (only Tables.Activities for
// Activities, only Tables.Keys for Keys).
type Config struct {
	Tables Tables

	// Shards is the number of shards over which writes to each index of the instances table are spread,
	// DefaultShards to MaxShards; lower values, including 0, mean DefaultShards, higher ones MaxShards.
	// A partition of an index accepts 1,000 writes a second, and a throttled index throttles its table.
	// The number may be raised and lowered at any time, and may differ between writers: the largest
	// number ever used is recorded in the table, and lists read that many shards, with one Query each.
	// A store that only reads need not set it.
	Shards int
	// CompressOver is the size in bytes above which documents, outputs and states are compressed; 0
	// means DefaultCompressOver. If it is negative, they are compressed only if they would not fit
	// otherwise.
	CompressOver int
	// Attempts is the number of attempts at a write, or at the unprocessed rest of a batch, that is
	// throttled, that conflicts with another transaction, or whose response is lost; 0 means
	// DefaultAttempts.
	Attempts int
	// AttemptTimeout limits one attempt at a write. After that time the outcome is unknown, and the
	// store repeats the write. 0 means DefaultAttemptTimeout.
	AttemptTimeout time.Duration

	// Meter receives the cost of each request to DynamoDB; if it is nil, the store does not request
	// these figures.
	Meter func(Usage)
	// Sleep waits between attempts, or returns the context's error. Nil uses the wall clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Random returns 64 random bits, for jitter and request tokens. Nil uses math/rand/v2.
	Random func() uint64
}

// Defaults of Config.
const (
	DefaultShards         = 8
	MaxShards             = 64
	DefaultCompressOver   = 2 << 10
	DefaultAttempts       = 6
	DefaultAttemptTimeout = 5 * time.Second
)

func (c Config) withDefaults() Config {
	c.Shards = min(max(c.Shards, DefaultShards), MaxShards)
	if c.CompressOver == 0 {
		c.CompressOver = DefaultCompressOver
	}
	if c.Attempts <= 0 {
		c.Attempts = DefaultAttempts
	}
	if c.AttemptTimeout <= 0 {
		c.AttemptTimeout = DefaultAttemptTimeout
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Random == nil {
		c.Random = rand.Uint64
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Store implements store.Store on DynamoDB.
type Store struct {
	client  Client
	config  Config
	encoder *Encoder
	// noted is set if the table records enough shards for lists to read all shards that this store
	// writes to.
	noted atomic.Bool
}

var _ store.Store = (*Store)(nil)

// New returns a store on the tables in config. It makes no request.
func New(client Client, config Config) *Store {
	config = config.withDefaults()
	return &Store{client: client, config: config, encoder: NewEncoder(config)}
}

// requestToken returns 128 random bits in hex: a token that no other writer uses.
func (c *Config) requestToken() string {
	b := make([]byte, 0, 32)
	b = strconv.AppendUint(b, c.Random()|1<<63, 16)
	b = strconv.AppendUint(b, c.Random()|1<<63, 16)
	return string(b)
}

// once turns off the SDK's own retries. The store repeats writes itself, because the response to a
// second attempt does not show whether the first had an effect.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
