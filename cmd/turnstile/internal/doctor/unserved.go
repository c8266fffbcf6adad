package doctor

import (
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Unserved reports activities that name a queue that the stack does not have. named maps queues to
// the activities that declare them, and served lists the queues of the stack.
func Unserved(named map[string][]string, served []string) []api.Finding {
	f := findings{area: "queues"}
	for _, queue := range slices.Sorted(maps.Keys(named)) {
		if slices.Contains(served, queue) {
			continue
		}
		f.add(Problem, "`turnstile queue add "+queue+"`, then deploy.",
			"the stack has no queue %s, which the deployed code names (%s): attempts wait in the default queue until it exists", queue, strings.Join(named[queue], ", "))
	}
	return f.all
}
