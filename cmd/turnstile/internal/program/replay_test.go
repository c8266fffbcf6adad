package program

import (
	"slices"
	"testing"
)

func TestAReplayedProgramGetsNoSecrets(t *testing.T) {
	t.Parallel()
	got := withoutSecrets([]string{"PATH=/bin", "AWS_SECRET_ACCESS_KEY=s", "AWS_SESSION_TOKEN=t", "AWS_PROFILE=p", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/c",
		"AWS_WEB_IDENTITY_TOKEN_FILE=f", "AWS_REGION=eu-central-1", "TURNSTILE_KEYS=k", "TURNSTILE_KEY_FILE=f", "TURNSTILE_ACTOR=ada"})
	if want := []string{"PATH=/bin", "AWS_REGION=eu-central-1", "TURNSTILE_ACTOR=ada", "AWS_EC2_METADATA_DISABLED=true"}; !slices.Equal(got, want) {
		t.Errorf("it gets %q, want %q", got, want)
	}
}
