package backend

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
)

// Place identifies the target of a command.
type Place struct {
	// ID is unique. The ID of a stack contains the URL of its orchestrator queue, and therefore
	// its region, its account and its creation time.
	ID string
	// Words is the description for users.
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

// account matches an AWS account number in the URL of a queue.
var account = regexp.MustCompile(`^[0-9]{12}$`)

// placeOfStack returns the place of a stack; its name is empty if variables name its queues.
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

// Place implements [Backend]. The folder identifies a program that `turnstile dev` runs, because its
// address changes with each start.
func (b server) Place(context.Context) (Place, error) {
	where := b.settings.Where()
	if b.folder != "" {
		where = "the turnstile dev of " + b.folder
	}
	return Place{ID: where, Words: where}, b.err
}
