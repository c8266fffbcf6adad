package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// List implements store.Store. A page is full unless it is the last one, or the query scans.
func (s *Store) List(ctx context.Context, q store.ListQuery) (store.ListPage, error) {
	if err := ctx.Err(); err != nil {
		return store.ListPage{}, err
	}
	few, err := s.fewStart(q.Prefix)
	if err != nil {
		return store.ListPage{}, err
	}
	if few != nil {
		return s.list(ctx, q, few, "")
	}
	trigrams := trigramsOf(q.Words)
	if trigrams != "" {
		s.catchUp(ctx)
	}
	return s.list(ctx, q, nil, trigrams)
}

// list finds the instances by the narrowing, if it is not nil, or by the trigrams of the query's words
// if the index has them.
func (s *Store) list(ctx context.Context, q store.ListQuery, by *narrowing, trigrams string) (page store.ListPage, err error) {
	most := q.Limit()
	if q.Scans() {
		most = maxScanned
	}
	looked, last, may := 0, "", mayMatch(&q)
	row := func(s *sqlite3.Stmt) error {
		if looked++; looked > most || len(page.Records) == q.Limit() {
			page.NextPageToken = q.TokenAfter(last)
			return errEnough
		}
		last = s.ColumnText(recordColumn + 1)
		if !may(s) {
			return nil
		}
		r, err := scanRecord(s)
		if err != nil {
			return err
		}
		if !q.Scans() || q.Matches(&r) {
			page.Records = append(page.Records, r)
		}
		return nil
	}
	err = s.readers.read(func(c *conn) error {
		return c.atOnce(func() (err error) {
			defer c.SetInterrupt(c.SetInterrupt(ctx))
			if trigrams != "" {
				if by, err = s.indexed.mayHave(c, trigrams); err != nil {
					return err
				}
			}
			sel, err := selectionOf(&q, by)
			if err != nil {
				return err
			}
			return c.query(row, "SELECT "+recordColumns+", "+sel.key+" FROM "+sel.from+" WHERE "+sel.where+" ORDER BY "+sel.key+" DESC LIMIT ?", append(sel.args, most+1)...)
		})
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err := ctx.Err(); err != nil {
		return store.ListPage{}, err
	}
	if err != nil {
		return store.ListPage{}, err
	}
	return page, nil
}

// mayMatch returns a function that reports, without decoding the record of a row, whether the row may
// match a query that scans: most rows have no texts that could contain the words.
func mayMatch(q *store.ListQuery) func(*sqlite3.Stmt) bool {
	if !q.Scans() {
		return func(*sqlite3.Stmt) bool { return true }
	}
	var parts [][]byte // of the record, which must contain all of them
	for key, value := range map[string]string{`"version":`: q.Version, `"parent":{"instance":`: q.Parent} {
		if value != "" {
			text, _ := json.Marshal(value) // A string can always be encoded, and is encoded as in the record.
			parts = append(parts, append([]byte(key), text...))
		}
	}
	if !q.EndedFrom.IsZero() || !q.EndedTo.IsZero() {
		parts = append(parts, []byte(`"ended_ms":`))
	}
	words := strings.Fields(strings.ToLower(q.Words))
	return func(s *sqlite3.Stmt) bool {
		record := s.ColumnRawText(recordColumn)
		lacks := func(part []byte) bool { return !bytes.Contains(record, part) }
		if slices.ContainsFunc(parts, lacks) {
			return false
		}
		if len(words) == 0 || hasTexts(record) {
			return true
		}
		states := strings.ToLower(string(s.ColumnRawBlob(statesColumn)))
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(states, word) })
	}
}

// hasTexts reports whether a record may have texts other than states.
func hasTexts(record []byte) bool {
	return bytes.Contains(record, []byte(`"failure":`)) || bytes.Contains(record, []byte(`"problem":`)) || bytes.Contains(record, []byte(`"suspension":`))
}

// maxScanned is how many records a call reads if the query scans.
const maxScanned = 30_000

// errEnough ends a query when no more rows are needed.
var errEnough = errors.New("enough rows")

// CountByStatus implements store.StatusCounter for queries that do not scan. It counts all instances.
// Without times and conditions it reads nothing.
func (s *Store) CountByStatus(ctx context.Context, q store.ListQuery, _ int) (counts map[store.Status]int, more map[store.Status]bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if q.Scans() {
		return nil, nil, errors.ErrUnsupported
	}
	if q.From.IsZero() && q.To.IsZero() && q.Prefix == "" && len(q.Where) == 0 {
		counts, err = s.countAll(ctx, &q)
		return counts, nil, err
	}
	q.PageToken = ""
	few, err := s.fewStart(q.Prefix)
	if err != nil {
		return nil, nil, err
	}
	sel, err := selectionOf(&q, few)
	if err != nil {
		return nil, nil, err
	}
	counts = map[store.Status]int{}
	err = s.readers.read(func(c *conn) error {
		defer c.SetInterrupt(c.SetInterrupt(ctx))
		return c.query(func(s *sqlite3.Stmt) error {
			for i, status := range statuses {
				if n := s.ColumnInt(i); n > 0 {
					counts[status] = n
				}
			}
			return nil
		}, "SELECT "+countColumns+" FROM "+sel.from+" WHERE "+sel.where, sel.args...)
	})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return counts, nil, err
}

// statuses are all statuses under which instances are listed.
var statuses = append(store.TerminalStatuses(), store.StatusRunning, store.StatusStuck, store.StatusCorrupt, store.StatusSuspended, store.StatusScheduled, store.StatusQueued, store.StatusForking)

// countColumns counts the instances of each status. (Grouping would sort the rows first.)
var countColumns = func() string {
	columns := make([]string, len(statuses))
	for i, status := range statuses {
		columns[i] = "count(*) FILTER (WHERE status = '" + string(status) + "')"
	}
	return strings.Join(columns, ", ")
}()

// countAll returns the counts that the writer keeps; the writer starts counting at the first request.
func (s *Store) countAll(ctx context.Context, q *store.ListQuery) (map[store.Status]int, error) {
	if !s.known.counting() {
		if err := s.writer.flush(ctx); err != nil {
			return nil, err
		}
	}
	return s.known.byStatus(q)
}

// fewIDs is the maximum number of ids with a prefix that are found by the index of ids and then sorted
// by list key. If there are more, the list keys are scanned in order, because a page then fills soon.
const fewIDs = 1000

// fewStart returns a narrowing to the instances whose ids begin with the prefix, if there is a prefix
// and they are at most fewIDs; nil otherwise.
func (s *Store) fewStart(prefix string) (few *narrowing, err error) {
	if prefix == "" {
		return nil, nil
	}
	err = s.readers.read(func(c *conn) error {
		return c.query(func(s *sqlite3.Stmt) error {
			if s.ColumnInt(0) <= fewIDs {
				few = &narrowing{from: "instances " + byID, where: idStarts, args: []any{prefix, afterPrefix(prefix)}}
			}
			return nil
		}, "SELECT count(*) FROM (SELECT 1 FROM instances "+byID+" WHERE "+idStarts+" LIMIT ?)", prefix, afterPrefix(prefix), fewIDs+1)
	})
	return few, err
}

const (
	byID     = "INDEXED BY sqlite_autoindex_instances_1" // the index of the UNIQUE column
	idStarts = "instances.instance >= ? AND instances.instance < ?"
)

// afterPrefix sorts after all ids with the prefix: UTF-8 never contains the byte.
func afterPrefix(prefix string) string { return prefix + "\xff" }

// selection is the SQL form of a query. An index returns the rows in the order of list keys; a few rows
// that are found in another way are sorted.
type selection struct {
	from, where string
	// key is the column of the list key.
	key  string
	args []any
}

func selectionOf(q *store.ListQuery, by *narrowing) (selection, error) {
	low, high, err := q.KeyRange()
	if err != nil {
		return selection{}, err
	}
	var conditions []string
	var args []any
	add := func(condition string, arguments ...any) {
		conditions = append(conditions, condition)
		args = append(args, arguments...)
	}
	sel := selection{from: "instances INDEXED BY instances_by_time", key: "instances.list_key"}
	first := q.Equality()
	switch {
	case by != nil && by.from != "":
		sel.from, first = by.from, nil
	case first != nil:
		// CROSS JOIN keeps this order.
		sel.from, sel.key = "search INDEXED BY search_by_value CROSS JOIN instances USING (no)", "search.list_key"
		kind, value := searchColumns(first.Value)
		add("search.name = ? AND search.kind = ? AND search.value = ?", first.Name, kind, value)
	case q.Status != "":
		sel.from = "instances INDEXED BY instances_by_status"
	case q.Name != "":
		sel.from = "instances INDEXED BY instances_by_name"
	}
	add(sel.key+" >= ? AND "+sel.key+" < ?", low, high)
	if by != nil {
		add(by.where, by.args...)
	}
	if q.Prefix != "" && (by == nil || by.where != idStarts) {
		// A list key ends with the id.
		add("substr("+sel.key+", instr("+sel.key+", '#') + 1, length(?)) = ?", q.Prefix, q.Prefix)
	}
	if q.Status != "" {
		add("instances.status = ?", string(q.Status))
	}
	if q.Name != "" {
		add("instances.name = ?", q.Name)
	}
	for i := range q.Where {
		if c := &q.Where[i]; c != first {
			condition, arguments := searchSQL(c)
			add(condition, arguments...)
		}
	}
	sel.where, sel.args = strings.Join(conditions, " AND "), args
	return sel, nil
}

// searchSQL returns a condition on a search attribute that is checked in the attributes of each
// instance.
func searchSQL(c *store.SearchCondition) (string, []any) {
	kind, value := searchColumns(c.Value)
	compare := "s.value " + string(c.Operator) + " ?"
	args := []any{c.Name, kind, value}
	if c.Operator == store.SearchPrefix {
		compare = "substr(s.value, 1, length(?)) = ?"
		args = append(args, value)
	}
	return fmt.Sprintf("EXISTS (SELECT 1 FROM search AS s WHERE s.no = instances.no AND s.name = ? AND s.kind = ? AND %s)", compare), args
}
