package backend

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
)

// Place is where a command works.
type Place struct {
	// ID is of this place alone. That of a stack has the address of its orchestrator queue,
	// and so its region, its account and the time at which it was made.
	ID string
	// Words are for people.
	Words string
}

// Place implements [Backend].
func (b AWS) Place(ctx context.Context) (Place, error) {
	cfg, found, err := b.Addresses(ctx, address.OrchestratorURL)
	if err != nil {
		return Place{}, err
	}
	return placeOfStack(b.settings.Stack, cfg.Region, found[address.OrchestratorURL]), nil
}

// account is the number of one, as addresses of queues have it.
var account = regexp.MustCompile(`^[0-9]{12}$`)

// placeOfStack is that of a stack by its name, which is empty if variables name its queues.
func placeOfStack(stack, region, queue string) Place {
	at := Place{ID: "the stack of " + queue}
	if at.Words = at.ID; stack == "" {
		return at
	}
	at.Words = "stack " + stack + " in "
	if u, err := url.Parse(queue); err == nil {
		if owner, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); account.MatchString(owner) {
			at.Words += "account " + owner + ", "
		}
	}
	at.Words += region
	return at
}

// Place implements [Backend]. A program that `turnstile dev` runs is told by its folder, since
// its address is another one after each start.
func (b server) Place(context.Context) (Place, error) {
	where := b.settings.Where()
	if b.folder != "" {
		where = "the turnstile dev of " + b.folder
	}
	return Place{ID: where, Words: where}, b.err
}
