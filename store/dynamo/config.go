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

// Client is what the store calls of *dynamodb.Client.
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

// Config configures a Store, Activities or Keys. Only Tables is required (of
// them Activities alone for Activities, Keys alone for Keys).
type Config struct {
	Tables Tables

	// Shards that what is written to each index of the instances table is
	// spread over, DefaultShards to MaxShards; 0, or what is below, means
	// DefaultShards, what is above MaxShards. A partition of an index takes
	// 1,000 writes a second, and a throttled index throttles its table. It may
	// be raised and lowered at any time, and differ between writers: the
	// largest number ever used is recorded in the table, and lists read that
	// many shards, with a Query each. Who only reads need not set it.
	Shards int
	// CompressOver is the size in bytes from which documents, outputs and
	// custom statuses are compressed; 0 means DefaultCompressOver, negative
	// means only where they would not fit otherwise.
	CompressOver int
	// Attempts at a write, or at an unprocessed rest of a batch, that meets
	// throttling, another transaction or a lost answer; 0 means
	// DefaultAttempts.
	Attempts int
	// AttemptTimeout bounds one attempt at a write, after which its outcome
	// is unknown and it is repeated; 0 means DefaultAttemptTimeout.
	AttemptTimeout time.Duration

	// Meter is told what each request to DynamoDB cost; nil asks DynamoDB for
	// no such figures.
	Meter func(Usage)
	// Sleep waits between attempts, or returns the context's error. Nil means
	// the wall clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Random gives 64 random bits, for jitter and request tokens. Nil means
	// math/rand/v2.
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
	// noted: lists look at all shards that this store writes to.
	noted atomic.Bool
}

var _ store.Store = (*Store)(nil)

// New returns a store on the tables that config names. It makes no request.
func New(client Client, config Config) *Store {
	config = config.withDefaults()
	return &Store{client: client, config: config, encoder: NewEncoder(config)}
}

// requestToken returns 128 random bits in hex: a name that no other writer
// gives.
func (c *Config) requestToken() string {
	b := make([]byte, 0, 32)
	b = strconv.AppendUint(b, c.Random()|1<<63, 16)
	b = strconv.AppendUint(b, c.Random()|1<<63, 16)
	return string(b)
}

// once turns the SDK's own retries off: the store repeats writes by itself,
// for an answer to a second attempt says nothing about the first.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
