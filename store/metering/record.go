package metering

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store/dynamo"
)

// record is the item of an instance record, and its entries in the indexes.
type record struct {
	size    int
	entries [3]entry
}

// entry is what an index holds of a record: its keys. The zero entry is none.
type entry struct {
	partition, sort string
	size            int
}

// changeSize is the attribute change: its name and 32 characters.
const changeSize = len("change") + 32

func (s *Store) record(ctx context.Context, instance string) record {
	found, err := s.Store.Describe(ctx, instance)
	if err != nil {
		return record{}
	}
	item, err := s.encoder.Record(&found)
	if err != nil {
		return record{}
	}
	r := record{size: dynamo.ItemSize(item)}
	if s.changed[instance] {
		r.size += changeSize
	}
	for _, table := range dynamo.TableDefinitions() {
		for i, x := range table.Indexes {
			p, ok := item[x.PartitionKey.Name].(*types.AttributeValueMemberS)
			if !ok {
				continue
			}
			k := item[x.SortKey.Name].(*types.AttributeValueMemberS)
			r.entries[i] = entry{p.Value, k.Value, dynamo.ItemSize(map[string]types.AttributeValue{
				x.PartitionKey.Name: p, x.SortKey.Name: k, table.PartitionKey.Name: item[table.PartitionKey.Name],
			})}
		}
	}
	return r
}

// cost of a change of a record, outside a transaction.
func cost(before, after record) float64 {
	sum := units(max(before.size, after.size), writeUnit)
	for i, b := range before.entries {
		a := after.entries[i]
		if a == b {
			continue
		}
		if b.size > 0 {
			sum += units(b.size, writeUnit)
		}
		if a.size > 0 {
			sum += units(a.size, writeUnit)
		}
	}
	return sum
}
