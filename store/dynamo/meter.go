package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Usage is what one request to DynamoDB cost, for Config.Meter.
type Usage struct {
	// Operation of DynamoDB: "PutItem", "TransactWriteItems", "Query", …
	Operation string
	// ReadUnits and WriteUnits are the capacity units that DynamoDB reported, including those of
	// indexes. A failed request reports none, although it costs as much as reading the item of its
	// condition.
	ReadUnits, WriteUnits float64
	// Items is the number of items that were written, or that a read returned; Bytes is their size
	// as ItemSize counts it. Updates of a record count the change, not the whole record.
	Items, Bytes int
	// Failed is set if the request returned an error.
	Failed bool
}

// consumed returns the setting that asks DynamoDB for figures if a meter is set.
func (c *Config) consumed() types.ReturnConsumedCapacity {
	if c.Meter == nil {
		return types.ReturnConsumedCapacityNone
	}
	return types.ReturnConsumedCapacityTotal
}

func (c *Config) meterRead(operation string, err error, items []attributes, capacity ...types.ConsumedCapacity) {
	if c.Meter == nil {
		return
	}
	u := Usage{Operation: operation, Items: len(items), ReadUnits: units(capacity), Failed: err != nil}
	for _, it := range items {
		u.Bytes += ItemSize(it)
	}
	c.Meter(u)
}

func (c *Config) meterWrite(operation string, err error, items, bytes int, capacity ...types.ConsumedCapacity) {
	if c.Meter == nil {
		return
	}
	c.Meter(Usage{Operation: operation, Items: items, Bytes: bytes, WriteUnits: units(capacity), Failed: err != nil})
}

func units(capacity []types.ConsumedCapacity) float64 {
	sum := 0.0
	for _, c := range capacity {
		if c.CapacityUnits != nil {
			sum += *c.CapacityUnits
		}
	}
	return sum
}

// one turns an output's optional capacity into a list.
func one(c *types.ConsumedCapacity) []types.ConsumedCapacity {
	if c == nil {
		return nil
	}
	return []types.ConsumedCapacity{*c}
}
