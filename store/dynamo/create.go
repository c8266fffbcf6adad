package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// AdminClient has the methods of *dynamodb.Client that CreateTables calls.
type AdminClient interface {
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
}

// CreateTables creates the tables for tests and local use, billed on demand, and waits until they are
// active. Existing tables are not changed. In production, template.yaml creates the tables, with
// features that these lack: encryption, point-in-time recovery, protection against deletion.
func CreateTables(ctx context.Context, client AdminClient, config Config) error {
	for _, d := range TableDefinitions() {
		name := config.Tables.name(d.Table)
		if name == "" {
			return fmt.Errorf("store: create tables: the %s table has no name in Config.Tables", d.Table)
		}
		if _, err := client.CreateTable(ctx, d.input(name)); err != nil {
			var exists *types.ResourceInUseException
			if errors.As(err, &exists) {
				continue
			}
			return fmt.Errorf("store: create table %s: %w", name, err)
		}
		waiter := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
			o.MinDelay, o.MaxDelay = 100*time.Millisecond, 2*time.Second
		})
		if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, 2*time.Minute); err != nil {
			return fmt.Errorf("store: table %s did not become active: %w", name, err)
		}
		if d.TTLAttribute == "" {
			continue
		}
		if _, err := client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
			TableName:               &name,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &d.TTLAttribute, Enabled: aws.Bool(true)},
		}); err != nil {
			return fmt.Errorf("store: time to live of table %s: %w", name, err)
		}
	}
	return nil
}

func (d *TableDefinition) input(name string) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest}
	seen := map[string]bool{}
	key := func(partition, sort KeyAttribute) []types.KeySchemaElement {
		var schema []types.KeySchemaElement
		for i, k := range []KeyAttribute{partition, sort} {
			if k.Name == "" {
				continue
			}
			kind := types.KeyTypeHash
			if i == 1 {
				kind = types.KeyTypeRange
			}
			schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(k.Name), KeyType: kind})
			if !seen[k.Name] {
				seen[k.Name] = true
				in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
					AttributeName: aws.String(k.Name), AttributeType: types.ScalarAttributeType(k.Type)})
			}
		}
		return schema
	}
	in.KeySchema = key(d.PartitionKey, d.SortKey)
	for _, x := range d.Indexes {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName:  aws.String(x.Name),
			KeySchema:  key(x.PartitionKey, x.SortKey),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		})
	}
	return in
}
