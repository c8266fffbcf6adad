package store

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// ListQuery selects records.
type ListQuery struct {
	// Status, empty for all.
	Status Status
	// Name of the orchestration, empty for all.
	Name string
	// Prefix of the instance id; empty for all.
	Prefix string
	// From (inclusive) and To (exclusive) bound CreatedAt; zero for no bound.
	From, To time.Time
	// EndedFrom (inclusive) and EndedTo (exclusive) bound EndedAt; zero for no bound. With either, only
	// instances that have ended are selected. No index covers them ([ListQuery.Scans]).
	EndedFrom, EndedTo time.Time
	// Where are conditions on the search attributes, all of which must hold. If one of them is an
	// "=" condition, the first such condition selects the instances, and the other conditions,
	// Status and Name are checked in the records of these instances one by one. If there is no "="
	// condition, Status, Name, From and To select the records that are read.
	Where []SearchCondition
	// Words must occur, ignoring case, in the record's failure, problem, reason of suspension or state
	// "status"; a state that a codec has encoded is not searched. Version and Parent must equal
	// the fields of the record. A store needs no index for these three ([ListQuery.Scans]).
	Words, Version, Parent string
	// PageSize is 1 to 1000; 0 means 100.
	PageSize int
	// PageToken is the NextPageToken of the previous page; empty for the first page.
	PageToken string
}

// ListPage is one page of records. NextPageToken is empty on the last page. With ListQuery.Where or
// Prefix, with both Status and Name, or if the query scans, a page may be shorter than PageSize, or
// empty, without being the last, because a call reads a limited number of records.
type ListPage struct {
	Records       []Record
	NextPageToken string
}

// ListKey is the position of a record in lists, which run from the greatest key to the smallest: its
// start time in milliseconds, then its id, so that no two records share a key. It never changes while
// the record exists.
func (r *Record) ListKey() string { return listTime(r.CreatedAt) + "#" + r.Instance }

// KeyRange returns the range of list keys of the query's records: from low (inclusive) to high
// (exclusive). The page token lowers high. Errors: ErrBadPageToken if the token belongs to a
// different query; the error of an invalid condition.
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
		// An instance that ended before that time started before it, apart from clock skew.
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

// Matches reports whether the query selects the record, not counting its time range and page token.
func (q *ListQuery) Matches(r *Record) bool {
	return !r.Purged && (q.Status == "" || q.Status == r.Status) && (q.Name == "" || q.Name == r.Name) && strings.HasPrefix(r.Instance, q.Prefix) &&
		!slices.ContainsFunc(q.Where, func(c SearchCondition) bool { return !c.Holds(r.SearchAttributes) }) &&
		(q.Version == "" || q.Version == r.Version) && (q.Parent == "" || r.Parent != nil && q.Parent == r.Parent.Instance) && q.endedIn(r) && q.wordsIn(r)
}

// clocksDiffer is the largest clock skew: an instance may seem to end that long before it started.
const clocksDiffer = time.Hour

// endedIn reports whether the record ended between the query's times.
func (q *ListQuery) endedIn(r *Record) bool {
	if q.EndedFrom.IsZero() && q.EndedTo.IsZero() {
		return true
	}
	return !r.EndedAt.IsZero() && !r.EndedAt.Before(q.EndedFrom) && (q.EndedTo.IsZero() || r.EndedAt.Before(q.EndedTo))
}

// Scans reports whether the query has conditions for which a store may have no index. The store then
// reads the records that the other fields select, a limited number per call.
func (q *ListQuery) Scans() bool {
	return q.Words != "" || q.Version != "" || q.Parent != "" || !q.EndedFrom.IsZero() || !q.EndedTo.IsZero()
}

// wordsIn reports whether each of the words occurs in a text of the record.
func (q *ListQuery) wordsIn(r *Record) bool {
	words := strings.Fields(strings.ToLower(q.Words))
	if len(words) == 0 {
		return true
	}
	all := r.Words()
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(all, word) })
}

// Words returns the texts that are searched for ListQuery.Words, in lower case, one per line.
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
	if status := r.listed(); status != nil {
		texts = append(texts, string(status))
	}
	return strings.ToLower(strings.Join(texts, "\n"))
}

// listed returns the value of the state that lists show; nil for none, or if it is encoded with a codec.
func (r *Record) listed() []byte {
	if r.StatesCodec != "" {
		return nil
	}
	return history.StateNamed(r.States, history.ListedState)
}

// Limit returns the page size to use: PageSize, at most MaxPageSize, or DefaultPageSize.
func (q *ListQuery) Limit() int {
	if q.PageSize <= 0 {
		return DefaultPageSize
	}
	return min(q.PageSize, MaxPageSize)
}

// TokenAfter returns the page token for the records that follow the record with this list key. It
// is valid only for the same query, apart from its page size.
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
		return "", fmt.Errorf("%w: %.40q is not a token that List returned; list from the first page", ErrBadPageToken, q.PageToken)
	}
	if string(b[:bindingSize]) != string(q.binding()) {
		return "", fmt.Errorf("%w: repeat the query with the filters of the previous page, or list from the first page", ErrBadPageToken)
	}
	key := string(b[bindingSize:])
	if strings.IndexByte(key, '#') != listTimeDigits {
		return "", fmt.Errorf("%w: %.40q is not a token that List returned; list from the first page", ErrBadPageToken, q.PageToken)
	}
	return key, nil
}

const listTimeDigits = 13

// listTime formats a time so that the strings sort by time; times before 1970, including the zero time,
// count as 1970.
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
