package api

import (
	"strconv"

	"github.com/turnstile-go/turnstile/store"
)

// AwaitsText describes the build for which an instance waits.
func AwaitsText(a *store.Problem) string {
	switch a.Kind {
	case "patch":
		return "waits for a build that agrees about patch " + strconv.Quote(a.Patch)
	case "codec":
		return "waits for a build that has the codec of its payloads"
	}
	return "waits for a newer build that knows the events of its history"
}

// AwaitsAdvice returns what to do about that.
func AwaitsAdvice(a *store.Problem) string {
	if a.Kind == "patch" {
		return "deploy a build that has the patch (the last deployed build does not ask for it, or retired it too early); messages wait 15 minutes for such a build, then the instance is stuck, and nothing is lost"
	}
	return "deploy such a build; until then, its messages wait"
}
