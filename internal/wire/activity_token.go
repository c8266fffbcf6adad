package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ActivityToken addresses one activity, and proves that who has it was told
// so by the activity itself: it is what a pending activity hands out. Its
// token is an HMAC that can't be guessed: under a key of the stack, whose id
// stands before it (package keyring), or under a secret of the execution.
type ActivityToken struct {
	Instance    string
	ExecutionID int64
	// EventID of the ActivityScheduled.
	EventID int64
	// Token as the ActivityExecute carried it.
	Token string
}

// activityTokenPrefix names the format, so that it can change.
const activityTokenPrefix = "t1"

// String returns the token as one text of ASCII letters, digits, '-', '_' and
// '.', which fits into a link.
func (t ActivityToken) String() string {
	return strings.Join([]string{activityTokenPrefix, strconv.FormatInt(t.ExecutionID, 10), strconv.FormatInt(t.EventID, 10),
		base64.RawURLEncoding.EncodeToString([]byte(t.Instance)), t.Token}, ".")
}

// errNoActivityToken is wrapped by the errors of ParseActivityToken.
var errNoActivityToken = errors.New("not a token of an activity; expected one exactly as the activity was given it")

// ParseActivityToken reads what String returns. Whether the token is right is
// not looked at: only the orchestrator has the keys.
func ParseActivityToken(s string) (ActivityToken, error) {
	// The token has a '.' of its own behind the id of its key.
	parts := strings.SplitN(s, ".", 5)
	if len(parts) != 5 || strings.Count(parts[4], ".") > 1 || parts[0] != activityTokenPrefix {
		return ActivityToken{}, fmt.Errorf("%w: it does not have the five parts that begin with %q", errNoActivityToken, activityTokenPrefix)
	}
	execution, err := strconv.ParseInt(parts[1], 10, 64)
	event, err2 := strconv.ParseInt(parts[2], 10, 64)
	instance, err3 := base64.RawURLEncoding.DecodeString(parts[3])
	if err := errors.Join(err, err2, err3); err != nil {
		return ActivityToken{}, fmt.Errorf("%w: %w", errNoActivityToken, err)
	}
	if execution < 1 || event < 1 || len(instance) == 0 || parts[4] == "" || strings.HasPrefix(parts[4], ".") || strings.HasSuffix(parts[4], ".") {
		return ActivityToken{}, fmt.Errorf("%w: a part of it is empty or 0", errNoActivityToken)
	}
	return ActivityToken{Instance: string(instance), ExecutionID: execution, EventID: event, Token: parts[4]}, nil
}

// activityToken puts the one text apart into the fields that it stands for.
func (p *parser) activityToken(i *Item) {
	f := &field{name: []byte("activity_token")}
	if p.err != nil || i.ActivityToken == "" {
		return
	}
	switch i.Kind {
	case ActivityCompleted, ActivityFailed, ActivityHeartbeat:
	default:
		p.invalid(f, "does not belong to this kind")
		return
	}
	if i.Instance != "" || i.ExecutionID != 0 || i.SourceEventID != 0 || i.Token != "" {
		p.invalid(f, "given together with instance, execution_id, source_event_id or token; leave those out")
		return
	}
	t, err := ParseActivityToken(i.ActivityToken)
	if err != nil {
		p.invalid(f, "%v", err)
		return
	}
	i.Instance, i.ExecutionID, i.SourceEventID, i.Token, i.ActivityToken = t.Instance, t.ExecutionID, t.EventID, t.Token, ""
}
