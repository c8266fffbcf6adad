package store

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ListQuery selects records.
type ListQuery struct {
	// Status, empty for all.
	Status Status
	// Name of the orchestration, empty for all.
	Name string
	// Prefix is what the instance's id begins with; empty for all.
	Prefix string
	// From (inclusive) and To (exclusive) bound CreatedAt; zero for no bound.
	From, To time.Time
	// EndedFrom (inclusive) and EndedTo (exclusive) bound EndedAt; zero for no bound. With either,
	// only instances that have ended are selected. No index finds by them ([ListQuery.Scans]).
	EndedFrom, EndedTo time.Time
	// Where are conditions on the search attributes, all of which have to
	// hold. With the first "=" among them only instances that meet it are
	// looked at; the other conditions, Status and Name are then looked up in
	// their records, one by one. Without any "=", Status, Name, From and To
	// alone say whose records are looked at.
	Where []SearchCondition
	// Words that have to stand in a record's failure, problem, reason of suspension or custom
	// status, upper and lower case alike; a custom status that a codec has sealed is not
	// searched. Version and Parent are compared with the fields of the record. No index has
	// to find by these three ([ListQuery.Scans]).
	Words, Version, Parent string
	// PageSize, 1 to 1000; 0 means 100.
	PageSize int
	// PageToken of the page before; empty for the first.
	PageToken string
}

// ListPage is one page of records. NextPageToken is empty on the last. With
// ListQuery.Where or Prefix, with both Status and Name, or where it scans, a page may be shorter than
// asked for, or empty, and not be the last: a call looks at a bounded number of records.
type ListPage struct {
	Records       []Record
	NextPageToken string
}

// ListKey is the place of a record in lists, which run from the greatest key
// to the smallest: when it began, in milliseconds, then its id, so that
// no two records share one. It never changes while the record lives.
func (r *Record) ListKey() string { return listTime(r.CreatedAt) + "#" + r.Instance }

// KeyRange returns the list keys between which the query's records lie: from
// low (inclusive) to high (exclusive). The place that the page token names
// lowers high. ErrBadPageToken if the token is of another query; the error of a
// condition that is none.
func (q *ListQuery) KeyRange() (low, high string, err error) {
	for i := range q.Where {
		if err := q.Where[i].check(); err != nil {
			return "", "", err
		}
	}
	low, high = listTime(time.Time{}), "~"
	if !q.From.IsZero() {
		low = listTime(ceilMS(q.From))
	}
	if !q.To.IsZero() {
		high = listTime(ceilMS(q.To))
	}
	if !q.EndedTo.IsZero() {
		// What ended before has begun before, as far as clocks agree.
		high = min(high, listTime(ceilMS(q.EndedTo.Add(clocksDiffer))))
	}
	if q.PageToken != "" {
		place, err := q.place()
		if err != nil {
			return "", "", err
		}
		high = min(high, place)
	}
	return low, high, nil
}

// Matches reports whether the record is one that the query selects, its
// time range and place in the list apart.
func (q *ListQuery) Matches(r *Record) bool {
	return !r.Purged && (q.Status == "" || q.Status == r.Status) && (q.Name == "" || q.Name == r.Name) && strings.HasPrefix(r.Instance, q.Prefix) &&
		!slices.ContainsFunc(q.Where, func(c SearchCondition) bool { return !c.Holds(r.SearchAttributes) }) &&
		(q.Version == "" || q.Version == r.Version) && (q.Parent == "" || r.Parent != nil && q.Parent == r.Parent.Instance) && q.endedIn(r) && q.wordsIn(r)
}

// clocksDiffer is by how much an instance may seem to end before it began.
const clocksDiffer = time.Hour

// endedIn reports whether the record ended between the query's times.
func (q *ListQuery) endedIn(r *Record) bool {
	if q.EndedFrom.IsZero() && q.EndedTo.IsZero() {
		return true
	}
	return !r.EndedAt.IsZero() && !r.EndedAt.Before(q.EndedFrom) && (q.EndedTo.IsZero() || r.EndedAt.Before(q.EndedTo))
}

// Scans reports whether the query asks for what a store may have no index of: the records that its
// other fields select are read, a bounded number a call.
func (q *ListQuery) Scans() bool {
	return q.Words != "" || q.Version != "" || q.Parent != "" || !q.EndedFrom.IsZero() || !q.EndedTo.IsZero()
}

// wordsIn reports whether each of the words stands in a text of the record.
func (q *ListQuery) wordsIn(r *Record) bool {
	words := strings.Fields(strings.ToLower(q.Words))
	if len(words) == 0 {
		return true
	}
	all := r.Words()
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(all, word) })
}

// Words returns the texts in which ListQuery.Words are looked for, in lower case, a line each.
func (r *Record) Words() string {
	var texts []string
	if f := r.Failure; f != nil {
		texts = append(texts, f.Kind, f.Code, f.Source, f.Message)
	}
	if p := r.Problem; p != nil {
		texts = append(texts, p.Kind, p.Message)
	}
	if s := r.Suspension; s != nil {
		texts = append(texts, s.Reason)
	}
	if r.Codec == "" && len(r.CustomStatus) > 0 {
		texts = append(texts, string(r.CustomStatus))
	}
	return strings.ToLower(strings.Join(texts, "\n"))
}

// Limit returns the page size to use: PageSize within 1 to MaxPageSize, or
// DefaultPageSize.
func (q *ListQuery) Limit() int {
	if q.PageSize <= 0 {
		return DefaultPageSize
	}
	return min(q.PageSize, MaxPageSize)
}

// TokenAfter returns the page token for what follows the record with that
// list key. It is bound to the query: to all but its page size.
func (q *ListQuery) TokenAfter(listKey string) string {
	return base64.RawURLEncoding.EncodeToString(append(q.binding(), listKey...))
}

const bindingSize = 8

func (q *ListQuery) binding() []byte {
	text := fmt.Appendf(nil, "%q %q %d %d", q.Status, q.Name, unixNano(q.From), unixNano(q.To))
	for _, c := range q.Where {
		text = append(text, " "+c.String()...)
	}
	if q.Prefix != "" {
		text = fmt.Appendf(text, " id %q", q.Prefix)
	}
	if q.Scans() {
		text = fmt.Appendf(text, " scan %q %q %q %d %d", q.Words, q.Version, q.Parent, unixNano(q.EndedFrom), unixNano(q.EndedTo))
	}
	sum := sha256.Sum256(text)
	return sum[:bindingSize:bindingSize]
}

func (q *ListQuery) place() (string, error) {
	b, err := base64.RawURLEncoding.DecodeString(q.PageToken)
	if err != nil || len(b) <= bindingSize {
		return "", fmt.Errorf("%w: %.40q is not a token that List gave; list from the first page", ErrBadPageToken, q.PageToken)
	}
	if string(b[:bindingSize]) != string(q.binding()) {
		return "", fmt.Errorf("%w: repeat the query with the filters of the page before, or list from the first page", ErrBadPageToken)
	}
	key := string(b[bindingSize:])
	if strings.IndexByte(key, '#') != listTimeDigits {
		return "", fmt.Errorf("%w: %.40q is not a token that List gave; list from the first page", ErrBadPageToken, q.PageToken)
	}
	return key, nil
}

const listTimeDigits = 13

// listTime writes a time so that its order is that of the text; times before
// 1970, the zero time among them, count as 1970.
func listTime(t time.Time) string {
	return fmt.Sprintf("%0*d", listTimeDigits, max(t.UnixMilli(), 0))
}

func ceilMS(t time.Time) time.Time {
	if r := t.Truncate(time.Millisecond); !r.Equal(t) {
		return r.Add(time.Millisecond)
	}
	return t
}

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
