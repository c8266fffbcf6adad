package dynamo

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// searchPrefix is the prefix of the names of record attributes that are search attributes:
// search.customer.
const searchPrefix = "search."

// searchMark begins the keys of search items, and separates their parts. Instance ids and names have no
// control characters, so their keys never collide.
const searchMark = "\x1f"

// searchText encodes a search value with its type before it.
func searchText(v history.SearchValue) string {
	if s, is := v.Text(); is {
		return "s:" + s
	}
	if _, is := v.Number(); is {
		return "n:" + v.String()
	}
	return "t:" + v.String()
}

// setSearch sets a record's search attributes.
func setSearch(a attributes, search history.SearchAttributes) {
	for name, v := range search {
		a[searchPrefix+name] = text(searchText(v))
	}
}

// searchOf decodes what setSearch has set; nil for none.
func searchOf(a attributes) (search history.SearchAttributes, err error) {
	for attribute, v := range a {
		name, ok := strings.CutPrefix(attribute, searchPrefix)
		if !ok {
			continue
		}
		s, ok := v.(*types.AttributeValueMemberS)
		if !ok {
			return nil, fmt.Errorf("%s is a %T, not S", attribute, v)
		}
		if search == nil {
			search = make(history.SearchAttributes)
		}
		if search[name], err = parseSearch(s.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", attribute, err)
		}
	}
	return search, nil
}

func parseSearch(s string) (history.SearchValue, error) {
	kind, rest, _ := strings.Cut(s, ":")
	switch kind {
	case "s":
		return history.SearchTextOf(rest), nil
	case "n":
		return history.ParseSearchNumber(rest)
	case "t":
		t, err := time.Parse(time.RFC3339Nano, rest)
		return history.SearchTimeOf(t), err
	}
	return history.SearchValue{}, fmt.Errorf("%.40q is not a search value", s)
}

// searchItemKey returns the key of the item by which an instance is found by an attribute. It does not
// depend on the value, so a new value replaces the item.
func searchItemKey(instance, name string) attributes {
	return attributes{"instance": text(searchMark + name + searchMark + instance)}
}

// searchPartition returns the partition, without its shard, of index by_name for the instances that
// have the value.
func searchPartition(name string, v history.SearchValue) string {
	return searchMark + name + "=" + searchText(v) + "#"
}

// SearchItems returns the items by which an instance is found by its attributes, in the order of their
// names. listKey is the list key of its record.
func (e *Encoder) SearchItems(instance, listKey string, search history.SearchAttributes) []map[string]types.AttributeValue {
	var items []attributes
	for _, name := range search.Names() {
		item := searchItemKey(instance, name)
		item["name_shard"] = text(searchPartition(name, search[name]) + e.shard(instance))
		item["list_key"] = text(listKey)
		items = append(items, item)
	}
	return items
}

// searchWrites returns the changes of those items: a put for each attribute that is set, and a
// delete for each that is removed. The changes belong to the transaction that changes the record,
// so items and record always agree, and the items need no condition of their own.
func (s *Store) searchWrites(instance string, change *store.RecordChange) (writes []types.TransactWriteItem, size int) {
	table := &s.config.Tables.Instances
	set, listKey := change.SearchAttributes, ""
	if r := change.Create; r != nil {
		// Each attribute of the old record gets a new value, or none.
		set, listKey = set.With(r.SearchAttributes), r.ListKey()
	} else if len(set) > 0 {
		listKey = (&store.Record{Instance: instance, CreatedAt: change.FoundAt}).ListKey()
	}
	for _, name := range set.Names() {
		if set[name].Kind() == history.SearchNothing {
			writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: table, Key: searchItemKey(instance, name)}})
		}
	}
	for _, item := range s.encoder.SearchItems(instance, listKey, history.SearchAttributes(nil).With(set)) {
		size += ItemSize(item)
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: table, Item: item}})
	}
	return writes, size
}
