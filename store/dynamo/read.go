package dynamo

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Read implements store.Store. It makes one Query, with a page for each megabyte. If the first item
// found does not begin a turn at `from`, it makes a second Query for the turn that contains `from`.
func (s *Store) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	if executionID <= 0 {
		return nil, ctx.Err() // No instance has such an execution; answers have the key of execution 0.
	}
	// A hole before stored items can be a transaction in progress, and then disappears when it is read
	// again. A hole that stays is corruption.
	const looks = 3
	for n := 1; ; n++ {
		turns, hole, err := s.look(ctx, instance, executionID, from)
		if err != nil || hole == nil {
			return turns, err
		}
		if n == looks || s.config.Sleep(ctx, s.config.delay(n)) != nil {
			return nil, hole
		}
	}
}

// look reads once. A hole is an error that the next read may not find.
func (s *Store) look(ctx context.Context, instance string, executionID, from int64) (turns []store.Turn, hole, err error) {
	parts, err := s.parts(ctx, instance, executionID, from)
	if err != nil {
		return nil, nil, err
	}
	turns, hole = assemble(parts)
	if hole != nil {
		return nil, hole, nil
	}
	turns, hole = store.Tail(turns, from)
	return turns, hole, nil
}

// parts returns the stored items from event id `from` on, preceded by the earlier items of the turn
// that contains `from`, or by the turn before.
func (s *Store) parts(ctx context.Context, instance string, executionID, from int64) ([]part, error) {
	key := executionKey(instance, executionID)
	parts, err := s.query(ctx, instance, executionID, dynamodb.QueryInput{
		KeyConditionExpression:    aws.String("execution = :e AND event_id >= :from"),
		ExpressionAttributeValues: attributes{":e": text(key), ":from": number(from)},
	})
	if err != nil || from <= 1 || len(parts) > 0 && parts[0].first == from && parts[0].part <= 1 {
		return parts, err
	}
	// The item just before `from`, and then, if it is a part, the parts before it.
	before, err := s.query(ctx, instance, executionID, dynamodb.QueryInput{
		KeyConditionExpression:    aws.String("execution = :e AND event_id BETWEEN :first AND :last"),
		ExpressionAttributeValues: attributes{":e": text(key), ":first": number(1), ":last": number(from - 1)},
		ScanIndexForward:          aws.Bool(false),
		Limit:                     aws.Int32(1),
	})
	if err != nil || len(before) == 0 {
		return parts, err
	}
	if b := before[0]; b.part > 1 {
		head, err := s.query(ctx, instance, executionID, dynamodb.QueryInput{
			KeyConditionExpression:    aws.String("execution = :e AND event_id BETWEEN :turn AND :last"),
			ExpressionAttributeValues: attributes{":e": text(key), ":turn": number(b.turn), ":last": number(b.first - 1)},
		})
		if err != nil {
			return nil, err
		}
		before = append(head, b)
	}
	return append(before, parts...), nil
}

// query returns the items of an execution that a Query finds: all pages, or as many as its limit
// allows.
func (s *Store) query(ctx context.Context, instance string, executionID int64, in dynamodb.QueryInput) ([]part, error) {
	in.TableName = &s.config.Tables.History
	in.ConsistentRead = aws.Bool(true)
	r := request{what: "read", instance: instance, executionID: executionID}
	var parts []part
	for {
		out, err := s.page(ctx, r, &in)
		if err != nil {
			return nil, err
		}
		for _, item := range out.Items {
			p, err := decodePart(instance, executionID, item)
			if err != nil {
				return nil, err
			}
			parts = append(parts, p)
		}
		if len(out.LastEvaluatedKey) == 0 || in.Limit != nil {
			return parts, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// page makes one Query.
func (s *Store) page(ctx context.Context, r request, in *dynamodb.QueryInput) (out *dynamodb.QueryOutput, err error) {
	in.ReturnConsumedCapacity = s.config.consumed()
	err = s.config.read(ctx, r, func(ctx context.Context) (err error) {
		if out, err = s.client.Query(ctx, in, once); err != nil {
			s.config.meterRead("Query", err, nil)
			return err
		}
		s.config.meterRead("Query", nil, out.Items, one(out.ConsumedCapacity)...)
		return nil
	})
	return out, err
}

// part is a stored item: a turn, or a part of one.
type part struct {
	turnOf store.Turn
	first  int64
	digest string
	// This is part of parts of the turn in slot turn; 0 for a turn in one item.
	part, parts, turn int64
}

func decodePart(instance string, executionID int64, item attributes) (part, error) {
	p := part{
		first: numberOf(item, "event_id"), digest: textOf(item, "digest"),
		part: numberOf(item, "part"), parts: numberOf(item, "parts"), turn: numberOf(item, "turn"),
	}
	corrupt := func(err error) error {
		return &store.CorruptError{Instance: instance, ExecutionID: executionID, EventID: p.first, Reason: err.Error()}
	}
	doc, err := bytesOf(item, "events")
	if err != nil {
		return part{}, corrupt(err)
	}
	cancelled, err := splitIDs(textOf(item, "cancelled"))
	if err != nil {
		return part{}, corrupt(fmt.Errorf("attribute cancelled: %w", err))
	}
	p.turnOf = store.Turn{
		Instance: instance, ExecutionID: executionID, Token: textOf(item, "token"),
		Messaged: flagOf(item, "messaged"), Parked: flagOf(item, "parked"), Cancelled: cancelled,
	}
	if p.turnOf.Events, err = store.DecodeEvents(instance, executionID, p.first, doc); err != nil {
		return part{}, err
	}
	if err := p.turnOf.DecodeReasons(textOf(item, "reasons")); err != nil {
		return part{}, corrupt(fmt.Errorf("attribute reasons: %w", err))
	}
	return p, nil
}

// assemble joins items, given in order, into turns. A turn with missing parts is left out if nothing is
// stored after it, because its transaction is not complete yet; otherwise it is a hole.
func assemble(parts []part) (turns []store.Turn, hole error) {
	turns = make([]store.Turn, 0, len(parts))
	for i := 0; i < len(parts); {
		p := &parts[i]
		if p.parts <= 1 {
			turns = append(turns, p.turnOf)
			i++
			continue
		}
		n := 1
		for i+n < len(parts) && parts[i+n].turn == p.turn && parts[i+n].digest == p.digest && parts[i+n].parts == p.parts {
			n++
		}
		t, complete := join(parts[i : i+n])
		if !complete {
			if i+n < len(parts) {
				return nil, &store.CorruptError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: p.turn, Unconfirmed: true,
					Reason: fmt.Sprintf("not all of the %d parts of the turn that begins with event %d are stored, but events after it are", p.parts, p.turn)}
			}
			break
		}
		turns = append(turns, t)
		i += n
	}
	return turns, nil
}

// join returns the turn that the parts form, and whether it is complete.
func join(parts []part) (t store.Turn, complete bool) {
	t = parts[0].turnOf
	n := 0
	for i := range parts {
		n += len(parts[i].turnOf.Events)
	}
	events := make([]history.Event, 0, n)
	for i := range parts {
		p := &parts[i]
		if p.part != int64(i+1) || i > 0 && p.first != events[len(events)-1].EventID+1 {
			return t, false
		}
		events = append(events, p.turnOf.Events...)
	}
	t.Events = events
	return t, int64(len(parts)) == parts[0].parts
}

// keysOf returns up to limit slots of an execution, lowest first.
func (s *Store) keysOf(ctx context.Context, instance string, executionID int64, limit int32) ([]int64, error) {
	r := request{what: "delete of the history", instance: instance, executionID: executionID}
	out, err := s.page(ctx, r, &dynamodb.QueryInput{
		TableName:                 &s.config.Tables.History,
		KeyConditionExpression:    aws.String("execution = :e"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":e": text(executionKey(instance, executionID))},
		ProjectionExpression:      aws.String("event_id"),
		ConsistentRead:            aws.Bool(true),
		Limit:                     &limit,
	})
	if err != nil {
		return nil, err
	}
	slots := make([]int64, 0, len(out.Items))
	for _, item := range out.Items {
		v, ok := item["event_id"].(*types.AttributeValueMemberN)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(v.Value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("store: history of instance %q execution %d has a slot %q that is not an event id: %w", instance, executionID, v.Value, err)
		}
		slots = append(slots, n)
	}
	return slots, nil
}
