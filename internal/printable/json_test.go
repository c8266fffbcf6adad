package printable_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/turnstile-go/turnstile/internal/printable"
)

func TestJSONCannotControlATerminalAndKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"{\n  \"é 漢\": \"🙂\"\n}": "{\n  \"é 漢\": \"🙂\"\n}",
		"[\"\u009b2J\"]":         `["\u009b2J"]`,
		"[\"\u202egnp.exe\"]":    `["\u202egnp.exe"]`,
		"[\"\u007f\"]":           `["\u007f"]`,
		"[\"\U000e0041\"]":       `["\udb40\udc41"]`, // a tag character, which nothing shows
	} {
		got := printable.JSON([]byte(in))
		if string(got) != want {
			t.Errorf("JSON(%q) = %s, want %s", in, got, want)
		}
		var before, after any
		if err := json.Unmarshal([]byte(in), &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%s says %v (%v), want %v", got, after, err, before)
		}
	}
}
