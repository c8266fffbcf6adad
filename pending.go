package turnstile

import (
	"github.com/turnstile-go/turnstile/internal/activities"
)

// ErrPending is what an activity returns when it has handed out its
// ActivityInfo(ctx).CompletionToken, to a person, another service, a machine
// that works for hours: nothing runs meanwhile, and whoever has the token
// completes the activity or lets it fail (client.Complete,
// client.Client.Fail). [TotalTimeout] bounds how long that may take, and
// [HeartbeatTimeout] how long may pass between two client.Client.Heartbeat.
var ErrPending = activities.ErrPending
