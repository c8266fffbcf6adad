package awslambda_test

import (
	"maps"
	"testing"

	"github.com/turnstile-go/turnstile/store/dynamo"
)

func TestTablesAreAsTheStoreDefinesThem(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	resources := map[string]string{"history": "HistoryTable", "instances": "InstancesTable", "activities": "ActivitiesTable", "keys": "KeysTable"}
	definitions := dynamo.TableDefinitions()
	if len(definitions) != len(tpl.ofType("AWS::DynamoDB::Table")) {
		t.Errorf("the store has %d tables, the template %d", len(definitions), len(tpl.ofType("AWS::DynamoDB::Table")))
	}
	for _, d := range definitions {
		attributes := map[string]string{}
		keys := func(partition, sort dynamo.KeyAttribute) []any {
			attributes[partition.Name] = partition.Type
			schema := []any{map[string]any{"AttributeName": partition.Name, "KeyType": "HASH"}}
			if sort.Name != "" {
				attributes[sort.Name] = sort.Type
				schema = append(schema, map[string]any{"AttributeName": sort.Name, "KeyType": "RANGE"})
			}
			return schema
		}
		r := resources[d.Table]
		tpl.want(r, "KeySchema", keys(d.PartitionKey, d.SortKey))
		var indexes []any
		for _, i := range d.Indexes {
			indexes = append(indexes, map[string]any{
				"IndexName": i.Name, "KeySchema": keys(i.PartitionKey, i.SortKey),
				"Projection": map[string]any{"ProjectionType": "KEYS_ONLY"},
			})
		}
		if indexes == nil {
			tpl.want(r, "GlobalSecondaryIndexes", "")
		} else {
			tpl.want(r, "GlobalSecondaryIndexes", indexes)
		}
		got := map[string]string{}
		for _, a := range list(tpl.property(r, "AttributeDefinitions")) {
			m := a.(map[string]any)
			got[m["AttributeName"].(string)] = m["AttributeType"].(string)
		}
		if !maps.Equal(got, attributes) {
			t.Errorf("%s defines the attributes %v, want %v", r, got, attributes)
		}
		if d.TTLAttribute == "" {
			tpl.want(r, "TimeToLiveSpecification", "")
		} else {
			tpl.want(r, "TimeToLiveSpecification", map[string]any{"AttributeName": d.TTLAttribute, "Enabled": true})
		}
	}
}
