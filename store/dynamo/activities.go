package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

// Activities implements store.Activities on DynamoDB.
type Activities struct {
	client  ActivitiesClient
	config  Config
	encoder *Encoder
}

var _ store.Activities = (*Activities)(nil)

// ActivitiesClient has the methods of *dynamodb.Client that Activities calls.
type ActivitiesClient interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
}

// NewActivities returns the activities table of config.Tables. It makes no
// request.
func NewActivities(client ActivitiesClient, config Config) *Activities {
	return &Activities{client: client, config: config.withDefaults(), encoder: NewEncoder(config)}
}

func activityKey(k store.ActivityKey) attributes {
	b := make([]byte, 0, 40+len(k.Instance))
	b = strconv.AppendInt(b, k.ExecutionID, 10)
	b = append(b, '#')
	b = strconv.AppendInt(b, k.EventID, 10)
	b = append(b, '#')
	return attributes{"activity": text(string(append(b, k.Instance...)))}
}

// RequestStop implements store.Activities. Only the reason of the first request is kept, so a
// repeated request changes nothing.
func (a *Activities) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	_, err := a.update(ctx, of(key, "request to stop an activity"), &dynamodb.UpdateItemInput{
		Key:                       activityKey(key),
		UpdateExpression:          aws.String("SET stop_reason = if_not_exists(stop_reason, :reason), expires_at = :expires"),
		ExpressionAttributeValues: attributes{":reason": text(reason), ":expires": number(expiresAt.Unix())},
	}, len("stop_reason")+len(reason))
	return err
}

// State implements store.Activities.
func (a *Activities) State(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	r := of(key, "state of an activity")
	item, err := getItem(ctx, a.client, &a.config, r, &dynamodb.GetItemInput{TableName: &a.config.Tables.Activities, Key: activityKey(key)})
	if err != nil {
		return store.ActivityState{}, err
	}
	return activityState(r, item)
}

// Heartbeat implements store.Activities.
func (a *Activities) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (store.ActivityState, error) {
	set := "SET beat_attempt = :attempt, beat_at_ms = :at, expires_at = :expires"
	values := attributes{":attempt": number(int64(beat.Attempt)), ":at": number(beat.At.UnixMilli()), ":expires": number(expiresAt.Unix())}
	if beat.Details != nil {
		set += ", beat_details = :details, beat_codec = :codec"
		values[":details"], values[":codec"] = a.encoder.compressor.value(beat.Details), text(beat.Codec)
	}
	r := of(key, "heartbeat of an activity")
	item, err := a.update(ctx, r, &dynamodb.UpdateItemInput{
		Key: activityKey(key), UpdateExpression: &set, ExpressionAttributeValues: values,
		ConditionExpression: aws.String("attribute_not_exists(beat_attempt) OR beat_attempt <= :attempt"),
		ReturnValues:        types.ReturnValueAllNew,
	}, len(beat.Details))
	var refused *types.ConditionalCheckFailedException
	if errors.As(err, &refused) {
		// A later attempt is running; this heartbeat no longer counts.
		item, err = refused.Item, nil
	}
	if err != nil {
		return store.ActivityState{}, err
	}
	return activityState(r, item)
}

// Claim implements store.Activities.
func (a *Activities) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	_, err := a.update(ctx, of(key, "claim of an attempt"), &dynamodb.UpdateItemInput{
		Key:                 activityKey(key),
		UpdateExpression:    aws.String("SET claim_attempt = :attempt, claim_token = :token, claim_until_ms = :until, expires_at = :expires"),
		ConditionExpression: aws.String("attribute_not_exists(claim_attempt) OR claim_attempt < :attempt OR claim_attempt = :attempt AND claim_token = :token"),
		ExpressionAttributeValues: attributes{":attempt": number(int64(claim.Attempt)), ":token": text(claim.Token),
			":until": number(claim.Until.UnixMilli()), ":expires": number(expiresAt.Unix())},
	}, len(claim.Token))
	var refused *types.ConditionalCheckFailedException
	if errors.As(err, &refused) {
		return &store.ClaimedError{Key: key, Found: claimOf(refused.Item)}
	}
	return err
}

// SetSuspect implements store.Activities.
func (a *Activities) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	in := &dynamodb.UpdateItemInput{
		Key: activityKey(key), UpdateExpression: aws.String("SET expires_at = :expires REMOVE suspect_attempt, suspect_deaths, suspect_until_ms"),
		ExpressionAttributeValues: attributes{":expires": number(expiresAt.Unix())},
	}
	if suspect.Attempt != 0 {
		in.UpdateExpression = aws.String("SET suspect_attempt = :attempt, suspect_deaths = :deaths, suspect_until_ms = :until, expires_at = :expires")
		in.ExpressionAttributeValues = attributes{":attempt": number(int64(suspect.Attempt)), ":deaths": number(int64(suspect.Deaths)),
			":until": number(suspect.Until.UnixMilli()), ":expires": number(expiresAt.Unix())}
	}
	_, err := a.update(ctx, of(key, "suspect's mark of an activity"), in, 0)
	return err
}

// NoteNext implements store.Activities.
func (a *Activities) NoteNext(ctx context.Context, key store.ActivityKey, next store.NextAttempt, expiresAt time.Time) error {
	_, err := a.update(ctx, of(key, "next attempt of an activity"), &dynamodb.UpdateItemInput{
		Key: activityKey(key),
		UpdateExpression: aws.String("SET next_attempt = :attempt, next_due_ms = :due, next_noted_ms = :noted, next_kind = :kind, next_message = :message, expires_at = :expires, " +
			noteName(next.Attempt) + " = :note"),
		ConditionExpression: aws.String("attribute_not_exists(next_attempt) OR next_attempt <= :attempt"),
		ExpressionAttributeValues: attributes{":attempt": number(int64(next.Attempt)), ":due": number(next.DueAt.UnixMilli()), ":noted": number(next.NotedAt.UnixMilli()),
			":kind": text(next.Kind), ":message": text(next.Message), ":expires": number(expiresAt.Unix()), ":note": text(noteText(next))},
	}, len(next.Kind)+len(next.Message))
	var refused *types.ConditionalCheckFailedException
	if errors.As(err, &refused) {
		return nil // A later attempt was already noted.
	}
	return err
}

// update changes an item, under its condition if there is one. If the condition does not hold, the
// *types.ConditionalCheckFailedException contains the existing item.
func (a *Activities) update(ctx context.Context, r request, in *dynamodb.UpdateItemInput, bytes int) (item attributes, err error) {
	in.TableName = &a.config.Tables.Activities
	in.ReturnConsumedCapacity = a.config.consumed()
	if in.ConditionExpression != nil {
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	err = a.config.repeat(ctx, r, func(ctx context.Context) verdict {
		out, err := a.client.UpdateItem(ctx, in, once)
		if err == nil {
			item = out.Attributes
			a.config.meterWrite("UpdateItem", nil, 1, bytes, one(out.ConsumedCapacity)...)
			return verdict{kind: settled}
		}
		a.config.meterWrite("UpdateItem", err, 0, 0)
		if outcomeOf(err) == refused {
			return verdict{settled, err}
		}
		return unsettled(r, err)
	})
	return item, err
}

func of(key store.ActivityKey, what string) request {
	return request{what: what, instance: key.Instance, executionID: key.ExecutionID, eventID: key.EventID}
}

// claimOf returns the claim in an item; the zero value if it has none.
func claimOf(item attributes) store.Claim {
	n := int(numberOf(item, "claim_attempt"))
	if n == 0 {
		return store.Claim{}
	}
	return store.Claim{Attempt: n, Token: textOf(item, "claim_token"), Until: time.UnixMilli(numberOf(item, "claim_until_ms")).UTC()}
}

func activityState(r request, item attributes) (s store.ActivityState, err error) {
	_, s.Stop = item["stop_reason"]
	s.StopReason = textOf(item, "stop_reason")
	s.Beat.Attempt = int(numberOf(item, "beat_attempt"))
	if at := numberOf(item, "beat_at_ms"); at > 0 {
		s.Beat.At = time.UnixMilli(at).UTC()
	}
	if s.Suspect.Attempt = int(numberOf(item, "suspect_attempt")); s.Suspect.Attempt != 0 {
		s.Suspect.Deaths, s.Suspect.Until = int(numberOf(item, "suspect_deaths")), time.UnixMilli(numberOf(item, "suspect_until_ms")).UTC()
	}
	if s.Next.Attempt = int(numberOf(item, "next_attempt")); s.Next.Attempt != 0 {
		s.Next.DueAt, s.Next.NotedAt = time.UnixMilli(numberOf(item, "next_due_ms")).UTC(), time.UnixMilli(numberOf(item, "next_noted_ms")).UTC()
		s.Next.Kind, s.Next.Message = textOf(item, "next_kind"), textOf(item, "next_message")
		addNotes(&s, item)
	}
	s.Claim = claimOf(item)
	s.Beat.Codec = textOf(item, "beat_codec")
	if s.Beat.Details, err = bytesOf(item, "beat_details"); err != nil {
		return store.ActivityState{}, fmt.Errorf("store: %s: %w", r, err)
	}
	return s, nil
}
