package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// MaxCommit is the maximum size of a commit, in bytes of its history documents: the maximum size of
// a transaction on AWS.
const MaxCommit = 4 << 20

// Store implements store.Store. Its zero value is not usable; call New.
type Store struct {
	mu         sync.Mutex
	executions map[executionKey][]item
	records    map[string]store.Record
	answers    map[store.AnswerKey]answer
	// unswept counts the answers that were added since expired ones were last deleted.
	unswept int
}

var (
	_ store.Store         = (*Store)(nil)
	_ store.StatusCounter = (*Store)(nil)
)

type executionKey struct {
	instance    string
	executionID int64
}

// item is one stored turn. The items of an execution are sorted by first.
type item struct {
	first, last      int64
	token, digest    string
	doc              []byte
	messaged, parked bool
	cancelled        []int64
	reasons          map[int64]string
}

// New returns an empty store.
func New() *Store {
	return &Store{
		executions: make(map[executionKey][]item),
		records:    make(map[string]store.Record),
		answers:    make(map[store.AnswerKey]answer),
	}
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, c store.Commit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	items := make([]item, len(c.Turns))
	if err := encode(c.Turns, items); err != nil {
		return err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	taken := false
	for i := range items {
		found, ok := s.at(keyOf(&c.Turns[i]), items[i].first)
		if ok && found.token == items[i].token && found.digest == items[i].digest {
			// This is the same append: a commit is all or nothing, so the rest is stored too.
			return nil
		}
		taken = taken || ok
	}
	instance := c.Turns[0].Instance
	if c.Record != nil {
		if err := s.check(instance, c.Record); err != nil {
			return err
		}
	}
	if taken {
		t := &c.Turns[0]
		return fmt.Errorf("%w (instance %q execution %d event %d)", store.ErrConflict, t.Instance, t.ExecutionID, t.First())
	}
	for i := range items {
		s.insert(keyOf(&c.Turns[i]), items[i])
	}
	if c.Record != nil {
		s.records[instance] = c.Record.Apply(s.records[instance])
	}
	return nil
}

func encode(turns []store.Turn, items []item) error {
	size := 0
	for i := range turns {
		t := &turns[i]
		doc := history.Encode(t.Events)
		size += len(doc)
		items[i] = item{
			first: t.First(), last: t.Last(),
			token: t.Token, digest: t.Digest(doc), doc: doc,
			messaged: t.Messaged, parked: t.Parked, cancelled: slices.Clone(t.Cancelled), reasons: maps.Clone(t.Reasons),
		}
	}
	if size > MaxCommit {
		return tooLarge(turns, size)
	}
	return nil
}

func tooLarge(turns []store.Turn, size int) error {
	e := &store.TooLargeError{CommitSize: size, Limit: "4 MB a transaction"}
	for i := range turns {
		t := &turns[i]
		if id, what, n := t.Largest(); i == 0 || n > e.EventSize {
			e.Instance, e.ExecutionID, e.EventID, e.What, e.EventSize = t.Instance, t.ExecutionID, id, what, n
		}
	}
	return e
}

func keyOf(t *store.Turn) executionKey { return executionKey{t.Instance, t.ExecutionID} }

// index returns the index of the first item whose slot is not below first.
func (s *Store) index(key executionKey, first int64) int {
	i, _ := slices.BinarySearchFunc(s.executions[key], first, func(it item, first int64) int {
		return int(it.first - first)
	})
	return i
}

func (s *Store) at(key executionKey, first int64) (item, bool) {
	items := s.executions[key]
	if i := s.index(key, first); i < len(items) && items[i].first == first {
		return items[i], true
	}
	return item{}, false
}

func (s *Store) insert(key executionKey, it item) {
	s.executions[key] = slices.Insert(s.executions[key], s.index(key, it.first), it)
}

// Read implements store.Store.
func (s *Store) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	key := executionKey{instance, executionID}
	s.mu.Lock()
	items := s.executions[key]
	i := s.index(key, from)
	if i > 0 && (i == len(items) || items[i].first > from) {
		i--
	}
	// Items are never changed in place, so decoding needs no lock.
	items = slices.Clone(items[i:])
	s.mu.Unlock()

	turns := make([]store.Turn, 0, len(items))
	for _, it := range items {
		t := store.Turn{
			Instance: instance, ExecutionID: executionID, Token: it.token,
			Messaged: it.messaged, Parked: it.parked, Cancelled: slices.Clone(it.cancelled), Reasons: maps.Clone(it.reasons),
		}
		var err error
		if t.Events, err = store.DecodeEvents(instance, executionID, it.first, slices.Clone(it.doc)); err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	return store.Tail(turns, from)
}

// ReadIsolated implements store.Store.
func (s *Store) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (store.Isolated, error) {
	if err := ctx.Err(); err != nil {
		return store.Isolated{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, stored := s.at(executionKey{instance, executionID}, eventID)
	return store.Isolated{Record: s.find(instance), Stored: stored}, nil
}

// DeleteHistory implements store.Store. Executions are deleted from the oldest to the newest, and
// the first turn of each is deleted first. So after an interruption the rest does not begin with
// event 1, and no reader treats it as a history.
func (s *Store) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	left := limit
	// Executions are deleted in order, and their numbers are never reused, so the deleted ones come
	// first.
	gone := sort.Search(int(max(upTo, 0)), func(i int) bool { return s.has(executionKey{instance, int64(i) + 1}) })
	for n := int64(gone) + 1; n <= upTo; n++ {
		key := executionKey{instance, n}
		items := s.executions[key]
		if limit > 0 && len(items) > left {
			s.executions[key] = slices.Clone(items[left:])
			return false, nil
		}
		left -= len(items)
		delete(s.executions, key)
	}
	return true, nil
}

// has reports whether anything is stored for an execution.
func (s *Store) has(key executionKey) bool {
	return len(s.executions[key]) > 0
}
