package conditions_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/conditions"
	"github.com/turnstile-go/turnstile/store"
)

func TestConditionsAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`customer = "c-1" and total > 100`:      `customer = "c-1"; total > 100`,
		`a='it is "x"'AND b<=-2.50`:             `a = "it is \"x\""; b <= -2.5`,
		` due >= 2026-12-01 `:                   `due >= 2026-12-01T00:00:00.000Z`,
		`due < 2026-12-01T09:30:00.5+01:00`:     `due < 2026-12-01T08:30:00.500Z`,
		`name ^= "a\tb"`:                        "",
		`name ^= "and"  and  and = 1e2`:         `name ^= "and"; and = 100`,
		`n = 9223372036854775807 and m = 1e400`: "",
		`n = 9223372036854775807`:               `n = 9223372036854775807`,
		``:                                      "",
		`customer`:                              "",
		`customer = `:                           "",
		`customer = c-1`:                        "",
		`customer = "c-1`:                       "",
		`customer = 'c-1`:                       "",
		`customer = "c-1" total > 1`:            "",
		`customer = "c-1" and`:                  "",
		`customer = "c-1" or total > 1`:         "",
		`customer = "c-1")`:                     "",
		`customer != "c-1"`:                     "",
		`customer ^= 1`:                         "",
		`1st = 1`:                               "",
		`customer = "` + strings.Repeat("x", 257) + `"`: "",
	} {
		parsed, err := conditions.Parse(text)
		var got []string
		for _, c := range parsed {
			got = append(got, c.String())
		}
		if strings.Join(got, "; ") != want || (err == nil) != (want != "") {
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
		var attribute *history.SearchAttributeError
		if err != nil && !errors.Is(err, store.ErrBadSearch) && !errors.As(err, &attribute) {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
}

func TestAConditionIsReadBackFromItsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := store.SearchCondition{
			Name:     rapid.StringMatching("[a-z][a-z0-9_.-]{0,5}").Draw(t, "name"),
			Operator: rapid.SampledFrom([]store.SearchOperator{"=", "<", "<=", ">", ">="}).Draw(t, "operator"),
		}
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			want.Value = history.SearchTextOf(rapid.StringMatching(`[ -~äß€\\"']{0,20}`).Draw(t, "text"))
		case 1:
			want.Value = history.SearchNumberOf(rapid.Int64().Draw(t, "whole"))
		case 2:
			want.Value = history.SearchNumberOf(rapid.Float64Range(-1e50, 1e50).Filter(func(f float64) bool { return f == 0 || f > 1e-99 || f < -1e-99 }).Draw(t, "real"))
		case 3:
			want.Value = history.SearchTimeOf(time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "time")))
		}
		got, err := conditions.Parse(want.String())
		if err != nil || len(got) != 1 || got[0] != want {
			t.Fatalf("%s is read as %v, %v", want, got, err)
		}
	})
}
