package doctor

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// released reports whether a version is a release. Builds from a checkout cannot be compared.
func released(version string) bool {
	return version != "(devel)" && version != "v0.0.0" && version != ""
}

// About checks the description of a console; own is the build of this command.
func About(about *api.About, own api.Build, now time.Time) []api.Finding {
	out := []api.Finding{{Area: "access", Level: OK, Text: fmt.Sprintf("the console responds: %s %s", about.Place.Kind, about.Place.Settings["file"])}}
	if !about.Actions {
		out = append(out, api.Finding{Area: "access", Level: Warning, Text: "this console allows no actions", Advice: "The console rejects commands that change something: start it with actions allowed."})
	}
	version := api.Finding{Area: "versions", Level: OK, Text: fmt.Sprintf("the console has Turnstile %s, this command %s", about.Build.Version, own.Version)}
	if about.Build.Version != own.Version && released(own.Version) && released(about.Build.Version) {
		version.Level, version.Advice = Warning, "The older one ignores fields that it does not know: use the same release for both."
	}
	return append(append(out, version), Clock(about.Now.Sub(now))...)
}

// Deployed checks the status of a CloudFormation stack.
func Deployed(name, status string) api.Finding {
	f := api.Finding{Area: "access", Level: OK, Text: fmt.Sprintf("stack %s is %s", name, status)}
	switch status {
	case "CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE":
	case "UPDATE_ROLLBACK_COMPLETE":
		f.Level, f.Advice = Warning, "The last deployment failed and was rolled back: see the events of the stack."
	case "CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
		f.Level, f.Advice = Warning, "A deployment is running: check again when it is complete."
	default:
		f.Level, f.Advice = Problem, "See the events of the stack."
	}
	return f
}
