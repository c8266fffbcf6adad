package near_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/near"
)

func TestTheNameThatTheUserMayHaveMeant(t *testing.T) {
	t.Parallel()
	names := []string{"num", "instance", "Charge", "Refund", "ShipOrder", "approved", "id"}
	for name, want := range map[string]string{
		"Num":        "num",
		"INSTANCE":   "instance",
		"instanec":   "instance",
		"Instances":  "instance",
		"charge":     "Charge",
		"Chrage":     "Charge",
		"aproved":    "approved",
		"ShipOrders": "ShipOrder",
		"Id":         "id",
		"ie":         "", // half of it differs
		"Discharged": "", // four letters differ
		"approved":   "", // it is a known name
		"":           "",
		"Überweisen": "",
	} {
		if got := near.Name(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := near.Hint("Num", names); got != `; did you mean "num"?` {
		t.Error(got)
	}
	if got := near.Hint("nothing like it", names) + near.Hint("x", nil); got != "" {
		t.Error(got)
	}
}

func TestOneLetterAwayIsNear(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := []rune(rapid.StringMatching(`[a-z]{3,40}`).Draw(t, "name"))
		at := rapid.IntRange(0, len(name)-2).Draw(t, "at")
		typed := append([]rune{}, name...)
		switch rapid.IntRange(0, 3).Draw(t, "mistake") {
		case 0:
			typed[at], typed[at+1] = typed[at+1], typed[at]
		case 1:
			typed[at] = 'ß'
		case 2:
			typed = append(typed[:at], append([]rune{'é'}, typed[at:]...)...)
		case 3:
			if len(name) == 3 {
				return // two matching letters are too few for a suggestion
			}
			typed = append(typed[:at], typed[at+1:]...)
		}
		if string(typed) == string(name) {
			return
		}
		if got := near.Name(string(typed), []string{"0123456789", string(name)}); got != string(name) {
			t.Errorf("%q gave %q, want %q", string(typed), got, string(name))
		}
	})
}

func TestAFieldThatJSONDoesNotKnow(t *testing.T) {
	t.Parallel()
	type line struct {
		Number int `json:"num"`
		Price  int
	}
	type order struct {
		line
		ID    string   `json:"id"`
		Lines []*line  `json:"lines,omitempty"`
		Next  *order   `json:"-"`
		Tags  []string `json:"tags"`
	}
	for body, want := range map[string]string{
		`{"nmu":1}`:              `; did you mean "num"?`,
		`{"line":[]}`:            `; did you mean "lines"?`,
		`{"lines":[{"pric":1}]}`: `; did you mean "Price"?`,
		`{"customer":1}`:         "",
		`{"id":1}`:               "", // a known field with a value of the wrong type
	} {
		d := json.NewDecoder(strings.NewReader(body))
		d.DisallowUnknownFields()
		var o order
		err := d.Decode(&o)
		if err == nil {
			t.Fatalf("%s was taken", body)
		}
		if got := near.Field(err, &o); got != want {
			t.Errorf("%s: %v%s, want %q", body, err, got, want)
		}
	}
}
