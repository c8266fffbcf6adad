// Package conditions reads the conditions of a search as people write them.
package conditions

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Parse reads conditions as people write them, joined by "and":
//
//	customer = "c-1" and total > 100 and due < 2026-12-01
//
// An operator is one of =, <, <=, >, >= and ^= (begins with). A value is a
// string in double quotes (with the escapes of Go) or in single quotes (without
// any), a number, or a time as RFC 3339, of which the time of day may be left
// out: midnight UTC. Errors: [store.ErrBadSearch], a [*history.SearchAttributeError].
func Parse(text string) ([]store.SearchCondition, error) {
	w := reader{text: text}
	var conditions []store.SearchCondition
	for {
		c, err := w.condition()
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, c)
		switch joint := w.word(); {
		case joint == "":
			if w.space(); w.at < len(text) {
				return nil, w.bad(`expected "and", or the end`)
			}
			return conditions, nil
		case !strings.EqualFold(joint, "and"):
			w.at -= len(joint)
			return nil, w.bad(`expected "and", or the end`)
		}
	}
}

// reader is a text of conditions that is being read.
type reader struct {
	text string
	at   int
}

func (w *reader) bad(problem string) error {
	return fmt.Errorf("%w: %s at character %d of %q", store.ErrBadSearch, problem, w.at+1, w.text)
}

func (w *reader) space() {
	for w.at < len(w.text) && strings.IndexByte(" \t\r\n", w.text[w.at]) >= 0 {
		w.at++
	}
}

// word takes what has no space, quote or operator in it.
func (w *reader) word() string {
	w.space()
	rest := w.text[w.at:]
	if n := strings.IndexAny(rest, " \t\r\n=<>^\"'"); n >= 0 {
		rest = rest[:n]
	}
	w.at += len(rest)
	return rest
}

func (w *reader) condition() (store.SearchCondition, error) {
	c := store.SearchCondition{Name: w.word()}
	if c.Name == "" {
		return c, w.bad("expected the name of a search attribute")
	}
	w.space()
	for _, o := range []store.SearchOperator{store.SearchLessEqual, store.SearchGreaterEqual, store.SearchPrefix, store.SearchEqual, store.SearchLess, store.SearchGreater} {
		if strings.HasPrefix(w.text[w.at:], string(o)) {
			c.Operator = o
			break
		}
	}
	if c.Operator == "" {
		return c, w.bad("expected one of = < <= > >= ^=")
	}
	w.at += len(c.Operator)
	var err error
	if c.Value, err = w.value(); err != nil {
		return c, err
	}
	_, _, err = (&store.ListQuery{Where: []store.SearchCondition{c}}).KeyRange() // which checks it
	return c, err
}

func (w *reader) value() (history.SearchValue, error) {
	w.space()
	rest := w.text[w.at:]
	if strings.HasPrefix(rest, "'") {
		end := strings.IndexByte(rest[1:], '\'')
		if end < 0 {
			return history.SearchValue{}, w.bad("the string has no end")
		}
		w.at += end + 2
		return history.SearchTextOf(rest[1 : end+1]), nil
	}
	if strings.HasPrefix(rest, `"`) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return history.SearchValue{}, w.bad("the string has no end, or has an invalid escape")
		}
		w.at += len(quoted)
		s, err := strconv.Unquote(quoted)
		return history.SearchTextOf(s), err
	}
	word := w.word()
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, word); err == nil {
			return history.SearchTimeOf(t), nil
		}
	}
	if strings.Trim(word, "+-.0123456789eE") == "" && word != "" {
		if v, err := history.ParseSearchNumber(word); err == nil {
			return v, nil
		}
	}
	w.at -= len(word)
	return history.SearchValue{}, w.bad(`expected a string in quotes, a number, or a time like 2026-12-01 or 2026-12-01T09:30:00Z`)
}
