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
	// search has the sizes and index entries of the items by which it is found, by their keys.
	search map[string]entry
}

// entry is the content of an index entry of a record: its keys. The zero entry means none.
type entry struct {
	partition, sort string
	size            int
}

// changeSize is the size of the attribute change: its name and 32 characters.
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
	for _, item := range s.encoder.SearchItems(instance, found.ListKey(), found.SearchAttributes) {
		if r.search == nil {
			r.search = make(map[string]entry)
		}
		r.search[item["instance"].(*types.AttributeValueMemberS).Value] = entry{
			partition: item["name_shard"].(*types.AttributeValueMemberS).Value, sort: found.ListKey(), size: dynamo.ItemSize(item),
		}
	}
	return r
}

// searchCost returns the cost of updating the items by which a record is found, outside a transaction:
// one write per item, and one per index entry that is added or removed. It also returns how many items,
// of how many bytes, are written.
func searchCost(before, after record) (cost float64, items, bytes int) {
	for key, a := range after.search {
		b, there := before.search[key]
		if a == b {
			continue
		}
		items, bytes, cost = items+1, bytes+a.size, cost+2*units(a.size, writeUnit)
		if there {
			cost += units(b.size, writeUnit)
		}
	}
	for key, b := range before.search {
		if _, stays := after.search[key]; !stays {
			items, cost = items+1, cost+2*units(b.size, writeUnit)
		}
	}
	return cost, items, bytes
}

// cost returns the cost of a change of a record, outside a transaction.
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
