package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/store"
)

// Events that are written in advance of a turn are stored in the partition of its execution in slots
// below 1 (store.Turn.AheadSlots), which the Query of a history never reads.

// WriteAhead implements store.Store. It is one PutItem.
func (s *Store) WriteAhead(ctx context.Context, part store.Turn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := part.CheckAhead(); err != nil {
		return err
	}
	it, err := s.encoder.Ahead(&part)
	if err != nil {
		return err
	}
	r := request{what: "write of events in advance of a turn", instance: part.Instance, executionID: part.ExecutionID, eventID: part.First()}
	return s.config.repeat(ctx, r, func(ctx context.Context) verdict { return s.put(ctx, r, &it) })
}

// Ahead implements store.Store. It is one Query, which finds one item.
func (s *Store) Ahead(ctx context.Context, instance string, executionID int64, name string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	parts, err := s.ahead(ctx, &store.Turn{Instance: instance, ExecutionID: executionID, Ahead: name}, true)
	if err != nil || len(parts) == 0 {
		return 0, err
	}
	return parts[0].Last(), nil
}

// join prepends the events that were written in advance to a turn that was read.
func (s *Store) join(ctx context.Context, t *store.Turn) (hole, err error) {
	parts, err := s.ahead(ctx, t, false)
	if err != nil {
		return nil, err
	}
	return t.Join(parts), nil
}

// ahead returns the parts of a name in order, or only the last of them.
func (s *Store) ahead(ctx context.Context, of *store.Turn, last bool) ([]store.Turn, error) {
	low, high := of.AheadSlots(store.MaxAhead)
	in := dynamodb.QueryInput{
		KeyConditionExpression:    aws.String("execution = :e AND event_id BETWEEN :low AND :high"),
		ExpressionAttributeValues: attributes{":e": text(executionKey(of.Instance, of.ExecutionID)), ":low": number(low), ":high": number(high)},
		ScanIndexForward:          aws.Bool(last),
	}
	if last {
		in.Limit = aws.Int32(1)
	}
	found, err := s.queryFrom(ctx, of.Instance, of.ExecutionID, high+1, in)
	if err != nil {
		return nil, err
	}
	parts := make([]store.Turn, len(found))
	for i := range found {
		parts[i] = found[i].turnOf
	}
	return parts, nil
}
