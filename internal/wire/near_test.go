package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestAMisspeltFieldOrKindIsReportedWithASuggestion(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"kind":"StartOrchestration","Instance":"i","name":"Main"}`:       `field "instance": missing or empty; expected a string; the object has a field "Instance": did you mean "instance"?`,
		`{"kind":"ExternalRaised","instance":"i","nmae":"e"}`:              `the object has a field "nmae": did you mean "name"?`,
		`{"Kind":"ExternalRaised","instance":"i","name":"e"}`:              `the object has a field "Kind": did you mean "kind"?`,
		`{"kind":"StartOrchestation","instance":"i"}`:                      `SubOrchFailed; did you mean "StartOrchestration"?`,
		`{"kind":"Dance","instance":"i"}`:                                  `it knows StartOrchestration, ExternalRaised, CancelInstance, TerminateInstance, SuspendInstance, `,
		`{"kind":"ActivityCompleted","instance":"i","executionid":1}`:      `the object has a field "executionid": did you mean "execution_id"?`,
		`{"kind":"ExternalRaised","instance":"i"}`:                         `field "name": missing or empty; expected a string`,
		`{"kind":"StartOrchestration","instance":"i","name":"Main","v":9}`: "contract version 9",
	} {
		_, err := wire.Parse([]byte(body))
		if _, is := errors.AsType[*wire.ParseError](err); !is || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n gave %v\n want %s", body, err, want)
		}
		if !strings.Contains(want, "did you mean") && strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%s gave a guess: %v", body, err)
		}
	}
}
