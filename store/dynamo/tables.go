package dynamo

// TableDefinition describes a table that the store needs. template.yaml creates the same tables in
// production; a test compares the two.
type TableDefinition struct {
	// Table is the field of Tables: "history", "instances", "activities" or "keys".
	Table string
	// PartitionKey, and SortKey unless its name is empty.
	PartitionKey, SortKey KeyAttribute
	Indexes               []IndexDefinition
	// TTLAttribute; empty for none.
	TTLAttribute string
}

// KeyAttribute is a key attribute and its type: "S" or "N".
type KeyAttribute struct{ Name, Type string }

// IndexDefinition is a global secondary index. All project only keys (KEYS_ONLY).
type IndexDefinition struct {
	Name                  string
	PartitionKey, SortKey KeyAttribute
}

// Names of the indexes of the instances table.
const (
	byTime   = "by_time"
	byStatus = "by_status"
	byName   = "by_name"
)

// TableDefinitions returns the four tables: history, instances, activities,
// keys.
func TableDefinitions() []TableDefinition {
	listKey := KeyAttribute{"list_key", "S"}
	return []TableDefinition{
		{
			Table:        "history",
			PartitionKey: KeyAttribute{"execution", "S"},
			SortKey:      KeyAttribute{"event_id", "N"},
			TTLAttribute: "expires_at",
		},
		{
			Table:        "instances",
			PartitionKey: KeyAttribute{"instance", "S"},
			Indexes: []IndexDefinition{
				{Name: byTime, PartitionKey: KeyAttribute{"all_shard", "S"}, SortKey: listKey},
				{Name: byStatus, PartitionKey: KeyAttribute{"status_shard", "S"}, SortKey: listKey},
				{Name: byName, PartitionKey: KeyAttribute{"name_shard", "S"}, SortKey: listKey},
			},
		},
		{
			Table:        "activities",
			PartitionKey: KeyAttribute{"activity", "S"},
			TTLAttribute: "expires_at",
		},
		{
			Table:        "keys",
			PartitionKey: KeyAttribute{"key_id", "S"},
		},
	}
}

// name returns the table's name.
func (t Tables) name(table string) string {
	switch table {
	case "history":
		return t.History
	case "instances":
		return t.Instances
	case "keys":
		return t.Keys
	}
	return t.Activities
}
