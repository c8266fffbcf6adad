package dynamo

import (
	"context"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/store"
)

// Activities implements store.Activities on DynamoDB.
type Activities struct {
	client ActivitiesClient
	config Config
}

var _ store.Activities = (*Activities)(nil)

// ActivitiesClient is what Activities calls of *dynamodb.Client.
type ActivitiesClient interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
}

// NewActivities returns the activities table of config.Tables. It makes no
// request.
func NewActivities(client ActivitiesClient, config Config) *Activities {
	return &Activities{client: client, config: config.withDefaults()}
}

func activityKey(k store.ActivityKey) attributes {
	b := make([]byte, 0, 40+len(k.Instance))
	b = strconv.AppendInt(b, k.ExecutionID, 10)
	b = append(b, '#')
	b = strconv.AppendInt(b, k.EventID, 10)
	b = append(b, '#')
	return attributes{"activity": text(string(append(b, k.Instance...)))}
}

// RequestStop implements store.Activities. Of several requests the first
// reason stays, so that repeating one changes nothing.
func (a *Activities) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in := &dynamodb.UpdateItemInput{
		TableName:                 &a.config.Tables.Activities,
		Key:                       activityKey(key),
		UpdateExpression:          aws.String("SET stop_reason = if_not_exists(stop_reason, :reason), expires_at = :expires"),
		ExpressionAttributeValues: attributes{":reason": text(reason), ":expires": number(expiresAt.Unix())},
		ReturnConsumedCapacity:    a.config.consumed(),
	}
	r := request{what: "request to stop an activity", instance: key.Instance, executionID: key.ExecutionID, eventID: key.EventID}
	return a.config.repeat(ctx, r, func(ctx context.Context) verdict {
		out, err := a.client.UpdateItem(ctx, in, once)
		if err == nil {
			a.config.meterWrite("UpdateItem", nil, 1, len("stop_reason")+len(reason), one(out.ConsumedCapacity)...)
			return verdict{kind: settled}
		}
		a.config.meterWrite("UpdateItem", err, 0, 0)
		return unsettled(r, err)
	})
}

// StopRequested implements store.Activities.
func (a *Activities) StopRequested(ctx context.Context, key store.ActivityKey) (reason string, stop bool, err error) {
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	r := request{what: "look for a request to stop an activity", instance: key.Instance, executionID: key.ExecutionID, eventID: key.EventID}
	item, err := getItem(ctx, a.client, &a.config, r, &dynamodb.GetItemInput{TableName: &a.config.Tables.Activities, Key: activityKey(key)})
	if err != nil {
		return "", false, err
	}
	_, stop = item["stop_reason"]
	return textOf(item, "stop_reason"), stop, nil
}
