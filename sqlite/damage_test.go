package sqlite_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/stage"
	"github.com/turnstile-go/turnstile/journal"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

const (
	damagedInstances = 12
	headerReserved   = 20
)

// ofEverything makes a database that has rows in each table, on pages of each
// kind, and closes it.
func ofEverything(t *testing.T, dir string) {
	t.Helper()
	db := openIn(t, dir, sqlite.IndexWords(0, 1000))
	ctx := t.Context()
	var errs []error
	for i := range damagedInstances {
		id := fmt.Sprintf("order-%d", i)
		record := store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &store.Record{Instance: id, Name: "Fulfil", ExecutionID: 1, Status: store.StatusRunning,
			CreatedAt: time.UnixMilli(int64(1e12 + i)), States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: []byte(`"waits"`)}}), Stamp: 1,
			SearchAttributes: history.SearchAttributes{"customer": history.SearchTextOf(fmt.Sprint(i))}}}
		for n := range int64(3) {
			turn := aTurn(id, n+1)
			turn.Events[0].Payload = []byte(`"` + strings.Repeat(fmt.Sprint(i), 400*i) + `"`)
			c := store.Commit{Turns: []store.Turn{turn}}
			if n == 0 {
				c.Record = &record
			}
			errs = append(errs, db.Store().Commit(ctx, c))
		}
		key := store.ActivityKey{Instance: id, ExecutionID: 1, EventID: 1}
		_, err := db.Activities().Heartbeat(ctx, key, store.Heartbeat{Attempt: 1, At: time.UnixMilli(1e12), Details: []byte(`"half"`)}, time.Now().Add(time.Hour))
		errs = append(errs, err)
		db.Timer().Created(journal.Schedule{Name: id, Due: time.Now().Add(time.Hour), Body: "due " + id})
	}
	_, err := db.Store().List(ctx, store.ListQuery{Words: "waits"})
	errs = append(errs, err)
	_, err = db.Keys().Create(ctx, "key", bytes.Repeat([]byte("k"), 32))
	errs = append(errs, err)
	for _, fifo := range []bool{false, true} {
		name := fmt.Sprint("queue-", fifo)
		q := openQueue(t, memoryqueue.Options{Name: name, FIFO: fifo, Journal: db.Queue(name)})
		for i := range 40 {
			m := queue.Outgoing{Body: fmt.Sprint("message ", i, strings.Repeat("m", 20*i)), Attributes: map[string]string{"reason": "none"}}
			if fifo {
				m.Group, m.DedupID = fmt.Sprint("group-", i%3), fmt.Sprint("dedup-", i)
			}
			errs = append(errs, q.Send(ctx, m))
		}
		q.Close()
	}
	if err := errors.Join(append(errs, db.Close())...); err != nil {
		t.Fatal(err)
	}
}

// notifiedOf is all that a database says, a line for each thing; an error stands in
// place of what could not be read.
func notifiedOf(t *testing.T, dir string) (lines []string, errs []error) {
	t.Helper()
	say := func(err error, format string, args ...any) {
		lines = append(lines, fmt.Sprintf(format, args...))
		errs = append(errs, err)
	}
	db, err := sqlite.Open(dir)
	if err != nil {
		say(err, "opening")
		return lines, errs
	}
	// Whoever finds damage may not be able to close it cleanly.
	defer func() { _ = db.Close() }()
	ctx := t.Context()
	for i := range damagedInstances {
		id := fmt.Sprintf("order-%d", i)
		r, err := sqlite.Uncached(db.Store()).Describe(ctx, id)
		say(err, "record %+v", r)
		turns, err := db.Store().Read(ctx, id, 1, 1)
		say(err, "turns %v", turns)
		s, err := db.Activities().State(ctx, store.ActivityKey{Instance: id, ExecutionID: 1, EventID: 1})
		say(err, "activity %+v", s)
	}
	for _, q := range []store.ListQuery{{}, {Status: store.StatusRunning}, {Name: "Fulfil"}, {Words: "waits"},
		{Where: []store.SearchCondition{{Name: "customer", Operator: store.SearchEqual, Value: history.SearchTextOf("3")}}}} {
		page, err := db.Store().List(ctx, q)
		say(err, "page %+v", page)
	}
	for _, fifo := range []bool{false, true} {
		kept, err := db.Queue(fmt.Sprint("queue-", fifo)).Load()
		say(err, "queue %+v %+v", kept.Messages, kept.Remembered)
	}
	schedules, err := db.Timer().Load()
	say(err, "schedules %v", schedules)
	key, err := db.Keys().Key(ctx, "key")
	say(err, "key %s", key)
	say(db.Flush(ctx), "flushed")
	return lines, errs
}

// Whatever is damaged, what is read is right, or is refused as damage with the
// file's name.
func TestADamagedFileIsReportedAndNeverUsed(t *testing.T) {
	t.Parallel()
	made := t.TempDir()
	ofEverything(t, made)
	content, err := os.ReadFile(filepath.Join(made, sqlite.FileName))
	if err != nil {
		t.Fatal(err)
	}
	right, errs := notifiedOf(t, made)
	if err := errors.Join(errs...); err != nil || len(right) != 46 {
		t.Fatalf("undamaged: %d lines, %v", len(right), err)
	}
	damages := map[string]func([]byte) []byte{
		"a sector of zeros": func(c []byte) []byte { clear(c[4096:4608]); return c },
		"pages exchanged": func(c []byte) []byte {
			first := bytes.Clone(c[4*4096 : 5*4096])
			copy(c[4*4096:], c[5*4096:6*4096])
			copy(c[5*4096:], first)
			return c
		},
		"cut in a page":    func(c []byte) []byte { return c[:len(c)-1000] },
		"cut in front":     func(c []byte) []byte { return c[:len(c)-4096] },
		"cut after a page": func(c []byte) []byte { return c[:4096] },
		"cut in a header":  func(c []byte) []byte { return c[:50] },
	}
	for at := 0; at < 100; at += stage.Cases(3, 1) {
		damages[fmt.Sprintf("byte %d of the header", at)] = func(c []byte) []byte { c[at] ^= 4; return c }
	}
	random := rand.New(rand.NewPCG(24, 0))
	for at := 100; at < len(content); at += 1 + random.IntN(stage.Cases(5000, 1200)) {
		by := byte(1 + random.IntN(255))
		damages[fmt.Sprintf("byte %d by %#x", at, by)] = func(c []byte) []byte { c[at] ^= by; return c }
	}
	noticed := 0
	for name, damage := range damages {
		dir := t.TempDir()
		file := filepath.Join(dir, sqlite.FileName)
		write(t, file, string(damage(bytes.Clone(content))))
		lines, errs := notifiedOf(t, dir)
		for i, err := range errs {
			switch {
			case err == nil && lines[i] != right[i]:
				t.Errorf("%s: read was\n %.300s, want\n %.300s", name, lines[i], right[i])
			case err == nil:
			case !errors.Is(err, sqlite.ErrDamaged) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), ".recover"):
				t.Errorf("%s: %v; want ErrDamaged with the file and what to do", name, err)
			default:
				noticed++
			}
		}
	}
	if noticed < len(damages)/2 {
		t.Errorf("of %d damages %d reads have noticed", len(damages), noticed)
	}
	t.Logf("%d damages of %d pages: %d reads refused", len(damages), len(content)/4096, noticed)
}

// plainly runs statements on a database as another program would, which knows of
// no checksums.
func plainly(t *testing.T, name string, sql ...string) {
	t.Helper()
	c, err := sqlite3.Open("file:" + filepath.ToSlash(name) + "?vfs=os")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sql {
		err = errors.Join(err, c.Exec(s))
	}
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
}

// Other programs copy the file, put its log in, make it smaller: it is no damage.
func TestWhatOtherProgramsMakeOfAFileIsRead(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T, from, to string){
		"a copy": func(t *testing.T, from, to string) {
			plainly(t, filepath.Join(from, sqlite.FileName), "VACUUM INTO '"+filepath.Join(to, sqlite.FileName)+"'")
		},
		"a copy of its pages": func(t *testing.T, from, to string) {
			c, err := sqlite3.Open("file:" + filepath.ToSlash(filepath.Join(from, sqlite.FileName)) + "?vfs=os")
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(c.Backup("main", "file:"+filepath.ToSlash(filepath.Join(to, sqlite.FileName))+"?vfs=os"), c.Close()); err != nil {
				t.Fatal(err)
			}
		},
		"the file with its log put in": func(t *testing.T, from, to string) {
			for name, content := range files(t, from) {
				write(t, filepath.Join(to, name), content)
			}
			plainly(t, filepath.Join(to, sqlite.FileName), "SELECT count(*) FROM turns")
		},
		"a smaller file": func(t *testing.T, from, to string) {
			for name, content := range files(t, from) {
				write(t, filepath.Join(to, name), content)
			}
			plainly(t, filepath.Join(to, sqlite.FileName), "VACUUM")
		},
		"what sqlite3 saved of it": func(t *testing.T, from, to string) {
			header, err := os.ReadFile(filepath.Join(from, sqlite.FileName))
			if err != nil {
				t.Fatal(err)
			}
			const userVersion = 60 // where the version of the schema stands
			plainly(t, filepath.Join(to, sqlite.FileName), "PRAGMA application_id = 1416983150", fmt.Sprintf("PRAGMA user_version = %d", binary.BigEndian.Uint32(header[userVersion:])),
				"ATTACH 'file:"+filepath.ToSlash(filepath.Join(from, sqlite.FileName))+"?vfs=os&mode=ro' AS old")
			c, err := sqlite3.Open("file:" + filepath.ToSlash(filepath.Join(from, sqlite.FileName)) + "?vfs=os")
			if err != nil {
				t.Fatal(err)
			}
			var sql, tables []string
			s, _, err := c.Prepare("SELECT sql, CASE type WHEN 'table' THEN name END FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name NOT GLOB 'words*' ORDER BY type DESC")
			if err != nil {
				t.Fatal(err)
			}
			for s.Step() {
				sql = append(sql, s.ColumnText(0))
				if table := s.ColumnText(1); table != "" {
					tables = append(tables, table)
				}
			}
			if err := errors.Join(s.Err(), s.Close(), c.Close()); err != nil {
				t.Fatal(err)
			}
			sql = append(sql, "ATTACH 'file:"+filepath.ToSlash(filepath.Join(from, sqlite.FileName))+"?vfs=os' AS old")
			for _, table := range tables {
				sql = append(sql, "INSERT INTO main."+table+" SELECT * FROM old."+table)
			}
			plainly(t, filepath.Join(to, sqlite.FileName), sql...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := t.TempDir(), t.TempDir()
			ofEverything(t, from)
			right, errs := notifiedOf(t, from)
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			// It was not closed: the last of it stands in its log.
			disk := newDisk(t)
			db := openIn(t, from, sqlite.VFS(disk.name))
			if err := db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{aTurn("in the log", 1)}}); err != nil {
				t.Fatal(err)
			}
			make(t, disk.kill(t), to)
			for range 2 { // The second time it was written here.
				if lines, errs := notifiedOf(t, to); fmt.Sprint(lines) != fmt.Sprint(right) || errors.Join(errs...) != nil {
					t.Fatalf("read was %.500v, %v; want %.500v", lines, errors.Join(errs...), right)
				}
			}
			content, err := os.ReadFile(filepath.Join(to, sqlite.FileName))
			if err != nil {
				t.Fatal(err)
			}
			if content[headerReserved] != 4 {
				t.Error("its pages have no room for checksums")
			}
		})
	}
}

// A row that nobody has written so, under a right checksum.
func TestARowThatCannotBeReadIsDamage(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"a deduplication id": "UPDATE remembered SET ids = 'nonsense'",
		"when it ends":       "UPDATE remembered SET ids = 'a b c d' || char(10)",
		"a message":          "UPDATE messages SET attributes = '{' WHERE queue = 'queue-true'",
		"a record":           "UPDATE instances SET record = '{'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ofEverything(t, dir)
			file := filepath.Join(dir, sqlite.FileName)
			withSQL(t, "file:"+filepath.ToSlash(file)+"?vfs=turnstile", sql)
			db := openIn(t, dir)
			_, err := memoryqueue.New(memoryqueue.Options{Name: "queue-true", FIFO: true, Journal: db.Queue("queue-true")})
			if err == nil {
				err = db.Store().UpdateRecord(t.Context(), "order-1", store.RecordChange{If: store.RecordCondition{Exists: true}})
				if _, rerr := db.Store().List(t.Context(), store.ListQuery{}); !errors.Is(rerr, sqlite.ErrDamaged) {
					t.Errorf("listed: %v", rerr)
				}
			}
			if !errors.Is(err, sqlite.ErrDamaged) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), ".recover") {
				t.Errorf("%v; want ErrDamaged with the file and what to do", err)
			}
		})
	}
}

// A log that is damaged ends in front of the damage, for SQLite cannot tell it
// from one that a crash has cut off. All in front of it is there.
func TestADamagedLogLosesItsEnd(t *testing.T) {
	t.Parallel()
	const turns = 20
	disk := newDisk(t)
	db := open(t, sqlite.VFS(disk.name))
	for n := range int64(turns) {
		if err := db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{aTurn("i", n+1)}}); err != nil {
			t.Fatal(err)
		}
	}
	dir := disk.kill(t)
	log := filepath.Join(dir, sqlite.FileName+"-wal")
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	write(t, log, string(content))
	read, err := openIn(t, dir).Store().Read(t.Context(), "i", 1, 1)
	if err != nil || len(read) == 0 || len(read) >= turns {
		t.Errorf("%d turns, %v; want the first few", len(read), err)
	}
}

// killedWith is the directory of a process that was killed, and how many turns its log alone has.
func killedWith(t *testing.T) (dir string, turns int) {
	t.Helper()
	turns = 20
	disk := newDisk(t)
	db := open(t, sqlite.VFS(disk.name))
	for n := range turns {
		if err := db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{aTurn("i", int64(n+1))}}); err != nil {
			t.Fatal(err)
		}
	}
	return disk.kill(t), turns
}

// copied is a copy of a directory.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(filepath.Join(to, "copy"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(to, "copy")
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// turnsIn are how many turns of the instance a database has.
func turnsIn(t *testing.T, dir string) int {
	t.Helper()
	turns, err := openIn(t, dir).Store().Read(t.Context(), "i", 1, 1)
	if err != nil {
		t.Error(err)
	}
	return len(turns)
}

const logName = sqlite.FileName + "-wal"

// SQLite takes a log whose header is not what was written for an empty one, and that of another
// database for its own. Neither is opened, and nothing of them is changed.
func TestALogThatIsNotItsOwnIsRefused(t *testing.T) {
	t.Parallel()
	made, turns := killedWith(t)
	older, _ := killedWith(t)
	if n := turnsIn(t, copied(t, made)); n != turns {
		t.Fatalf("undamaged: %d turns", n)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := openIn(t, copied(t, older)).Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	cases := map[string]func(dir string){
		"the log of another database":           func(dir string) { write(t, filepath.Join(dir, logName), readFile(t, filepath.Join(older, logName))) },
		"a backup in the place of the database": func(dir string) { write(t, filepath.Join(dir, sqlite.FileName), readFile(t, backup)) },
		"an older copy in the place of the database": func(dir string) {
			write(t, filepath.Join(dir, sqlite.FileName), readFile(t, filepath.Join(older, sqlite.FileName)))
		},
		"a log without the magic number": func(dir string) {
			write(t, filepath.Join(dir, logName), "nonsense"+readFile(t, filepath.Join(made, logName))[8:])
		},
		"a log whose first sector has zeros": func(dir string) {
			write(t, filepath.Join(dir, logName), strings.Repeat("\x00", 512)+readFile(t, filepath.Join(made, logName))[512:])
		},
		"a log of another page size that counts right": func(dir string) {
			write(t, filepath.Join(dir, logName), logOf(8192)+readFile(t, filepath.Join(made, logName))[32:])
		},
	}
	for at := range 32 {
		cases[fmt.Sprintf("byte %d of the log", at)] = func(dir string) {
			content := []byte(readFile(t, filepath.Join(made, logName)))
			content[at] ^= 4
			write(t, filepath.Join(dir, logName), string(content))
		}
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t, made)
			damage(dir)
			before := readFile(t, filepath.Join(dir, logName)) + readFile(t, filepath.Join(dir, sqlite.FileName))
			_, err := sqlite.Open(dir)
			if !errors.Is(err, sqlite.ErrDamaged) || !strings.Contains(err.Error(), logName) {
				t.Errorf("%v; want ErrDamaged with the name of the log", err)
			}
			if after := readFile(t, filepath.Join(dir, logName)) + readFile(t, filepath.Join(dir, sqlite.FileName)); after != before {
				t.Error("it has changed something")
			}
		})
	}
}

// logOf is the header of a log that SQLite takes for valid.
func logOf(page int) string {
	h := make([]byte, 32)
	binary.BigEndian.PutUint32(h, 0x377f0683)
	binary.BigEndian.PutUint32(h[4:], 3007000)
	binary.BigEndian.PutUint32(h[8:], uint32(page))
	var a, b uint32
	for at := 0; at < 24; at += 8 {
		a += binary.BigEndian.Uint32(h[at:]) + b
		b += binary.BigEndian.Uint32(h[at+4:]) + a
	}
	binary.BigEndian.PutUint32(h[24:], a)
	binary.BigEndian.PutUint32(h[28:], b)
	return string(h)
}

// What a crash, or another program, leaves is opened: a log without a frame has nothing, and a
// database that names no log was written by a program that knows of none.
func TestALogThatMayBeItsOwnIsOpened(t *testing.T) {
	t.Parallel()
	made, turns := killedWith(t)
	closed := copied(t, made)
	db, err := sqlite.Open(closed)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		of     string
		change func(dir string)
	}{
		"a header that was not written to its end": {closed, func(dir string) { write(t, filepath.Join(dir, logName), "1234567890") }},
		"a header that a crash has left empty":     {closed, func(dir string) { write(t, filepath.Join(dir, logName), strings.Repeat("\x00", 32)) }},
		"a database that names no log": {made, func(dir string) {
			content := []byte(readFile(t, filepath.Join(dir, sqlite.FileName)))
			clear(content[72:88])
			write(t, filepath.Join(dir, sqlite.FileName), string(content))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t, c.of)
			c.change(dir)
			if n := turnsIn(t, dir); n != turns {
				t.Errorf("%d turns", n)
			}
		})
	}
}
