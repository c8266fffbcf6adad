package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ActivityToken addresses one activity, and proves that the activity itself gave it to
// the holder: a pending activity hands it out. Its Token is an HMAC that cannot be
// guessed: under a key of the stack, whose id precedes it (package keyring), or under a
// secret of the execution.
type ActivityToken struct {
	Instance    string
	ExecutionID int64
	// EventID of the ActivityScheduled.
	EventID int64
	// Token of the ActivityExecute.
	Token string
}

// activityTokenPrefix names the format, so that the format can change.
const activityTokenPrefix = "t1"

// String returns the token as one string of ASCII letters, digits, '-', '_' and '.',
// which is safe in a URL.
func (t ActivityToken) String() string {
	return strings.Join([]string{activityTokenPrefix, strconv.FormatInt(t.ExecutionID, 10), strconv.FormatInt(t.EventID, 10),
		base64.RawURLEncoding.EncodeToString([]byte(t.Instance)), t.Token}, ".")
}

// errNoActivityToken is wrapped by the errors of ParseActivityToken.
var errNoActivityToken = errors.New("not an activity token (pass it exactly as the activity received it)")

// ParseActivityToken parses the result of String. It does not verify the token: only the
// orchestrator has the keys.
func ParseActivityToken(s string) (ActivityToken, error) {
	// The Token contains two more: one after the id of its key, and one after a time.
	parts := strings.SplitN(s, ".", 5)
	if len(parts) != 5 || strings.Count(parts[4], ".") > 2 || parts[0] != activityTokenPrefix {
		return ActivityToken{}, fmt.Errorf("%w: it does not have five parts starting with %q", errNoActivityToken, activityTokenPrefix)
	}
	execution, err := strconv.ParseInt(parts[1], 10, 64)
	event, err2 := strconv.ParseInt(parts[2], 10, 64)
	instance, err3 := base64.RawURLEncoding.DecodeString(parts[3])
	if err := errors.Join(err, err2, err3); err != nil {
		return ActivityToken{}, fmt.Errorf("%w: %w", errNoActivityToken, err)
	}
	if execution < 1 || event < 1 || len(instance) == 0 || parts[4] == "" || strings.HasPrefix(parts[4], ".") || strings.HasSuffix(parts[4], ".") {
		return ActivityToken{}, fmt.Errorf("%w: one of its parts is empty or 0", errNoActivityToken)
	}
	return ActivityToken{Instance: string(instance), ExecutionID: execution, EventID: event, Token: parts[4]}, nil
}

// activityToken replaces the activity token of an item by the fields that it contains.
func (p *parser) activityToken(i *Item) {
	f := &field{name: []byte("activity_token")}
	if p.err != nil || i.ActivityToken == "" {
		return
	}
	switch i.Kind {
	case ActivityCompleted, ActivityFailed, ActivityHeartbeat:
	default:
		p.invalid(f, "not allowed for this kind")
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
