package backend

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/restoring"
)

// awsCloud implements restoring.Cloud.
type awsCloud struct {
	dynamo *dynamodb.Client
	sqs    *awssqs.Client
	tables []restoring.Wanted
	queues []shownQueue
	urls   map[address.Key]string
}

// Cloud returns the tables and queues of the stack, for a restore.
func (b AWS) Cloud(ctx context.Context) (restoring.Cloud, error) {
	cfg, found, err := b.withQueues(ctx, address.HistoryTable, address.InstancesTable, address.ActivitiesTable)
	if err != nil {
		return nil, err
	}
	c := &awsCloud{dynamo: dynamodb.NewFromConfig(cfg), sqs: awssqs.NewFromConfig(cfg), urls: found,
		tables: []restoring.Wanted{{Name: found[address.HistoryTable], TTL: "expires_at"}, {Name: found[address.InstancesTable]}, {Name: found[address.ActivitiesTable], TTL: "expires_at"}}}
	for _, q := range shownIn(found) {
		if !q.dead {
			c.queues = append(c.queues, q)
		}
	}
	return c, nil
}

// Tables implements restoring.Cloud.
func (c *awsCloud) Tables() []restoring.Wanted { return c.tables }

// Table implements restoring.Cloud.
func (c *awsCloud) Table(ctx context.Context, name string) (restoring.Table, error) {
	got, err := c.dynamo.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if _, none := errors.AsType[*dynamotypes.ResourceNotFoundException](err); none {
		return restoring.Table{}, nil
	}
	if err != nil || got.Table == nil {
		return restoring.Table{}, errors.Join(fmt.Errorf("table %s is not described", name), err)
	}
	t := restoring.Table{Status: string(got.Table.TableStatus), Protected: aws.ToBool(got.Table.DeletionProtectionEnabled)}
	if from := got.Table.RestoreSummary; from != nil {
		arn := aws.ToString(from.SourceTableArn)
		t.From = arn[strings.LastIndex(arn, "/")+1:]
		if aws.ToBool(from.RestoreInProgress) && t.Status == restoring.Active {
			t.Status = "RESTORING"
		}
	}
	return t, nil
}

// Window implements restoring.Cloud.
func (c *awsCloud) Window(ctx context.Context, name string) (from, to time.Time, err error) {
	got, err := c.dynamo.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		return from, to, fmt.Errorf("listing the backups of table %s: %w", name, err)
	}
	d := got.ContinuousBackupsDescription
	if d == nil || d.PointInTimeRecoveryDescription == nil || d.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != dynamotypes.PointInTimeRecoveryStatusEnabled {
		return from, to, fmt.Errorf("table %s has no point-in-time recovery: there is nothing to restore", name)
	}
	p := d.PointInTimeRecoveryDescription
	return aws.ToTime(p.EarliestRestorableDateTime), aws.ToTime(p.LatestRestorableDateTime), nil
}

// RestoreTo implements restoring.Cloud.
func (c *awsCloud) RestoreTo(ctx context.Context, source, target string, at time.Time) error {
	_, err := c.dynamo.RestoreTableToPointInTime(ctx, &dynamodb.RestoreTableToPointInTimeInput{SourceTableName: &source, TargetTableName: &target, RestoreDateTime: &at})
	return about("restoring table "+source, err)
}

// Backup implements restoring.Cloud.
func (c *awsCloud) Backup(ctx context.Context, table, name string) (restoring.Backup, error) {
	in := &dynamodb.ListBackupsInput{TableName: &table, BackupType: dynamotypes.BackupTypeFilterUser}
	for {
		page, err := c.dynamo.ListBackups(ctx, in)
		if err != nil {
			return restoring.Backup{}, about("the backups of table "+table, err)
		}
		for i := range page.BackupSummaries {
			if b := &page.BackupSummaries[i]; aws.ToString(b.BackupName) == name && b.BackupStatus != dynamotypes.BackupStatusDeleted {
				return restoring.Backup{ARN: aws.ToString(b.BackupArn), Ready: b.BackupStatus == dynamotypes.BackupStatusAvailable}, nil
			}
		}
		if in.ExclusiveStartBackupArn = page.LastEvaluatedBackupArn; in.ExclusiveStartBackupArn == nil {
			return restoring.Backup{}, nil
		}
	}
}

// CreateBackup implements restoring.Cloud.
func (c *awsCloud) CreateBackup(ctx context.Context, table, name string) error {
	_, err := c.dynamo.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: &table, BackupName: &name})
	return about("a backup of table "+table, err)
}

// DeleteBackup implements restoring.Cloud.
func (c *awsCloud) DeleteBackup(ctx context.Context, arn string) error {
	_, err := c.dynamo.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &arn})
	if _, none := errors.AsType[*dynamotypes.BackupNotFoundException](err); none {
		return nil
	}
	return about("deleting the backup "+arn, err)
}

// RestoreFrom implements restoring.Cloud.
func (c *awsCloud) RestoreFrom(ctx context.Context, arn, target string) error {
	_, err := c.dynamo.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: &arn, TargetTableName: &target})
	return about("restoring table "+target+" from "+arn, err)
}

// Protect implements restoring.Cloud.
func (c *awsCloud) Protect(ctx context.Context, name string, on bool) error {
	_, err := c.dynamo.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &name, DeletionProtectionEnabled: &on})
	return about("deletion protection of table "+name, err)
}

// Delete implements restoring.Cloud.
func (c *awsCloud) Delete(ctx context.Context, name string) error {
	_, err := c.dynamo.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
	return about("deleting table "+name, err)
}

// Recoverable implements restoring.Cloud.
func (c *awsCloud) Recoverable(ctx context.Context, name string) (bool, error) {
	_, err := c.dynamo.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: &name,
		PointInTimeRecoverySpecification: &dynamotypes.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)}})
	if _, early := errors.AsType[*dynamotypes.ContinuousBackupsUnavailableException](err); early {
		return false, nil
	}
	return err == nil, about("point-in-time recovery of table "+name, err)
}

// Expires implements restoring.Cloud.
func (c *awsCloud) Expires(ctx context.Context, name, attribute string) (bool, error) {
	got, err := c.dynamo.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return false, about("the time to live of table "+name, err)
	}
	if d := got.TimeToLiveDescription; d != nil {
		switch d.TimeToLiveStatus {
		case dynamotypes.TimeToLiveStatusEnabled, dynamotypes.TimeToLiveStatusEnabling:
			return true, nil
		case dynamotypes.TimeToLiveStatusDisabling:
			return false, nil
		}
	}
	_, err = c.dynamo.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &name,
		TimeToLiveSpecification: &dynamotypes.TimeToLiveSpecification{AttributeName: &attribute, Enabled: aws.Bool(true)}})
	return err == nil, about("the time to live of table "+name, err)
}

// Queues implements restoring.Cloud.
func (c *awsCloud) Queues() (names []string) {
	for _, q := range c.queues {
		names = append(names, q.name)
	}
	return names
}

// Empty implements restoring.Cloud.
func (c *awsCloud) Empty(ctx context.Context, queue string) error {
	for _, q := range c.queues {
		if q.name != queue {
			continue
		}
		url := c.urls[q.url]
		_, err := c.sqs.PurgeQueue(ctx, &awssqs.PurgeQueueInput{QueueUrl: &url})
		if _, already := errors.AsType[*sqstypes.PurgeQueueInProgress](err); already {
			return nil
		}
		return about("emptying queue "+queue, err)
	}
	return fmt.Errorf("the stack has no queue %s", queue)
}

// about prefixes an error with what it concerns. It returns nil for nil.
func about(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
