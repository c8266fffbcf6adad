package sqlite

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// The index of words: a table of FTS5 with the trigrams of what store.ListQuery.Words are looked
// for in, of instances that have such texts. It catches up when somebody searches, so that a write
// pays nothing for what is not indexed yet; of what is, a write that changes the texts notes so in
// unindexed. It finds who may have the words, and never says that somebody has: each record that it
// finds is looked at, as a scan does.
const (
	createWords = "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(texts, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1')"
	dropWords   = "DROP TABLE IF EXISTS words; DELETE FROM unindexed; UPDATE opened SET indexed = 0"
)

// Bounds of the index.
const (
	// maxLag is how many new instances may be left to be looked at beside the index: fewer are
	// not worth a write.
	maxLag = 500
	// maxFound is how many instances that may have the words are put in the order of list keys.
	// Of more, the list keys are looked through in their order.
	maxFound = 1000
	// A search indexes up to so many bytes of texts, of up to so many instances, in transactions
	// of such a size: nobody who writes waits for more than one of them.
	maxIndexed, maxPassed     = 128 << 10, 30_000
	indexedAtOnce, passedOnce = 16 << 10, 2_000
)

// indexed is how far the words are indexed; the writer's alone.
type indexed struct {
	// through is the number of the last instance that the index knows, as the transaction under
	// way leaves it, and committed as the last one left it.
	through, committed int64
	// lag and found are maxLag and maxFound, but in tests.
	lag, found int64
}

func (x *indexed) load(c *conn) (err error) {
	x.committed, err = c.number("SELECT indexed FROM opened")
	x.through = x.committed
	return err
}

// changed notes that the texts of an instance are not the indexed ones any more; before is nil
// where it had no record.
func (x *indexed) changed(tx *conn, no int64, before, after *store.Record) error {
	if no > x.through || sameWords(before, after) {
		return nil
	}
	return tx.exec("INSERT OR IGNORE INTO unindexed (no) VALUES (?)", no)
}

func sameWords(a, b *store.Record) bool {
	none := func(r *store.Record) bool {
		return r == nil || r.Failure == nil && r.Problem == nil && r.Suspension == nil && len(r.CustomStatus) == 0
	}
	switch {
	case none(a) || none(b):
		return none(a) && none(b)
	default:
		return a.Words() == b.Words()
	}
}

// catchUp indexes more of what is not indexed yet, where that is more than a little. What
// prevents it is not returned, because the answer does not depend on it: whoever writes next
// hears of it.
func (s *Store) catchUp(ctx context.Context) {
	behind := false
	if s.readers.read(func(c *conn) error {
		lag, err := c.number("SELECT coalesce((SELECT max(no) FROM instances), 0) - indexed FROM opened")
		if err != nil || lag > s.indexed.lag {
			behind = true
			return err
		}
		n, err := c.number("SELECT EXISTS (SELECT 1 FROM unindexed)")
		behind = n != 0
		return err
	}) != nil {
		return
	}
	for bytes, passed := 0, 0; behind && bytes < maxIndexed && passed < maxPassed; {
		var b, p int
		if s.writer.make(ctx, &write{relaxed: true, apply: func(tx *conn) (err error) {
			b, p, behind, err = s.indexed.more(tx)
			return err
		}}) != nil {
			return
		}
		bytes, passed = bytes+b, passed+p
	}
}

// more indexes what one transaction takes: the bytes of texts and the instances that it looked
// at, and whether there is more.
func (x *indexed) more(tx *conn) (bytes, passed int, more bool, err error) {
	if err := tx.exec(createWords); err != nil {
		return 0, 0, false, err
	}
	type entry struct {
		no    int64
		words string
	}
	var all []entry
	last := x.through
	take := func(stmt *sqlite3.Stmt) error {
		if bytes >= indexedAtOnce || passed >= passedOnce {
			more = true
			return errEnough
		}
		passed++
		e := entry{no: stmt.ColumnInt64(0)}
		if stmt.ColumnType(recordColumn) != sqlite3.NULL && mayHaveWords(stmt) {
			r, err := scanRecord(stmt)
			if err != nil {
				return err
			}
			if !r.Purged {
				e.words = indexable(r.Words())
			}
		}
		bytes += len(e.words)
		last = max(last, e.no)
		all = append(all, e)
		return nil
	}
	err = tx.query(take, "SELECT "+recordColumns+" FROM unindexed CROSS JOIN instances USING (no) ORDER BY no")
	changed := len(all)
	if err == nil {
		err = tx.query(take, "SELECT "+recordColumns+" FROM instances WHERE no > ? ORDER BY no", x.through)
	}
	if err != nil && err != errEnough {
		return 0, 0, false, err
	}
	for i, e := range all {
		if i < changed {
			err = tx.exec("DELETE FROM unindexed WHERE no = ?", e.no)
		} else {
			err = nil
		}
		switch {
		case err != nil:
		case e.words != "":
			err = tx.exec("INSERT OR REPLACE INTO words (rowid, texts) VALUES (?, ?)", e.no, e.words)
		case i < changed:
			err = tx.exec("DELETE FROM words WHERE rowid = ?", e.no)
		}
		if err != nil {
			return 0, 0, false, err
		}
	}
	x.through = last
	return bytes, passed, more, tx.exec("UPDATE opened SET indexed = ?", last)
}

// mayHaveWords tells of a row, without decoding its record, whether it may have texts.
func mayHaveWords(s *sqlite3.Stmt) bool {
	return s.ColumnType(customColumn) != sqlite3.NULL || hasTexts(s.ColumnRawText(recordColumn))
}

// indexable is a text, or a word, as the index takes it: a NUL would end it.
func indexable(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// maxTrigrams is how many trigrams of the words the index is asked for.
const maxTrigrams = 32

// trigramsOf is the query of FTS5 that finds each text which may have the words; empty if there
// is none, because they are too short.
func trigramsOf(words string) string {
	var terms []string
	for word := range strings.FieldsSeq(indexable(strings.ToLower(words))) {
		for from := range word {
			to := from
			for range 3 {
				_, size := utf8.DecodeRuneInString(word[to:])
				to += size
			}
			if utf8.RuneCountInString(word[from:to]) == 3 && len(terms) < maxTrigrams {
				terms = append(terms, `"`+strings.ReplaceAll(word[from:to], `"`, `""`)+`"`)
			}
		}
	}
	return strings.Join(terms, " AND ")
}

// narrowing is what finds a few of the instances that a query may select, or tells whom it cannot
// select without their records.
type narrowing struct {
	// from finds them in no order; empty where it only excludes.
	from  string
	where string
	args  []any
}

// mayHave finds who may have the words of a query, by the index and beside it; nil where all have
// to be looked at. The connection reads as of one moment.
func (x *indexed) mayHave(c *conn, trigrams string) (*narrowing, error) {
	through, err := c.number("SELECT indexed FROM opened")
	if err != nil || through == 0 {
		return nil, err
	}
	found, err := c.number("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)", trigrams, x.found+1)
	if err != nil || found > x.found {
		return nil, err
	}
	beside, err := c.number("SELECT (SELECT count(*) FROM (SELECT 1 FROM unindexed LIMIT ?1)) + (SELECT count(*) FROM (SELECT 1 FROM instances WHERE no > ?2 LIMIT ?1))", x.found+1, through)
	if err != nil {
		return nil, err
	}
	if beside > x.found {
		return &narrowing{where: "(instances.no > ? OR instances.no IN (" + ofIndex + "))", args: []any{through, trigrams}}, nil
	}
	return &narrowing{from: byFound, where: "instances.no IN (" + ofIndex + " UNION ALL SELECT no FROM instances WHERE no > ?)", args: []any{trigrams, through}}, nil
}

// ofIndex are those who may have the words, of those that the index knows.
const ofIndex = "SELECT rowid FROM words WHERE words MATCH ? UNION ALL SELECT no FROM unindexed"

// byFound finds instances by their numbers, which are few.
const byFound = "instances NOT INDEXED"
