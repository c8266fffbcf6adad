package lint

import (
	"go/types"
	"strings"
)

// rule describes a function or variable of the standard library, or of a well-known module, that
// orchestration code may not use.
type rule struct {
	check check
	// does follows the name in messages: "time.Now" "reads the wall clock".
	does string
	// instead replaces the text of the check, if it is not empty.
	instead string
	// only lists the names that the rule applies to, separated by spaces; if it is empty, the rule
	// applies to all names but those in except. A method is Type.Name, all methods of a type are
	// Type.*.
	only, except string
}

// harmless are methods that are allowed for every type: they format a value, or inspect an error.
const harmless = " Error String GoString Format Unwrap Is As Timeout Temporary Network MarshalText MarshalJSON UnmarshalText UnmarshalJSON "

// tables has the rules by import path. The first rule of a path that matches applies. Functions of
// the standard library that are not in the tables are assumed to be deterministic; their source is
// not checked.
var tables = map[string][]rule{
	"time": {
		{check: clock, does: "reads the wall clock", instead: "use turnstile.Now", only: "Now Since Until"},
		{check: clock, does: "waits for the wall clock", instead: "use turnstile.Sleep", only: "Sleep"},
		{check: clock, does: "waits for the wall clock", instead: "use turnstile.After", only: "After Tick NewTimer NewTicker AfterFunc Timer.* Ticker.*"},
		{check: env, does: "is the time zone of this machine", instead: "use time.UTC, or a time zone from the input", only: "Local Time.Local"},
	},
	"math/rand":    {{check: random, does: "is not the same on replay", except: "New NewSource NewZipf Rand.* Zipf.* Source.* Source64.*"}},
	"math/rand/v2": {{check: random, does: "is not the same on replay", except: "New NewPCG NewChaCha8 NewZipf Rand.* Zipf.* Source.* PCG.* ChaCha8.*"}},
	"crypto/rand":  {{check: random, does: "is not the same on replay"}},
	"hash/maphash": {{check: random, does: "has another seed in each process", instead: "use hash/fnv, or another hash without a seed"}},

	"sync":        {{check: locks, does: "waits for other goroutines"}},
	"sync/atomic": {{check: locks, does: "is made for several goroutines"}},
	"iter":        {{check: goroutine, does: "starts a coroutine of its own", only: "Pull Pull2"}},
	"runtime": {
		{check: goroutine, does: "controls goroutines", only: "Gosched Goexit LockOSThread UnlockOSThread"},
		{check: env, does: "depends on the process", only: "NumCPU GOMAXPROCS NumGoroutine NumCgoCall ReadMemStats"},
	},
	"runtime/debug": {{check: env, does: "depends on the process", only: "ReadBuildInfo ReadGCStats"}},
	"reflect":       {{check: channel, does: "uses channels", only: "Select MakeChan ChanOf Value.Send Value.Recv Value.TrySend Value.TryRecv"}},

	"os": {
		{check: env, does: "depends on the process or its machine", only: "Getenv LookupEnv Environ ExpandEnv Setenv Unsetenv Clearenv Args Hostname Getpid Getppid Getuid Geteuid Getgid Getegid Getgroups Getwd Executable TempDir UserHomeDir UserCacheDir UserConfigDir"},
		{check: process, does: "acts on processes", only: "Exit StartProcess FindProcess Process.* Getpagesize"},
		{check: output, does: "is written to again on every replay", only: "Stdout Stderr"},
		{check: file, does: "uses files", except: "IsNotExist IsExist IsPermission IsTimeout IsPathSeparator Expand NewSyscallError Signal.* FileMode.* FileInfo.* DirEntry.* ModePerm DevNull ErrInvalid ErrPermission ErrExist ErrNotExist ErrClosed ErrNoDeadline ErrDeadlineExceeded ErrProcessDone Interrupt Kill"},
	},
	"os/exec":   {{check: process, does: "runs a program", except: "ErrNotFound ErrDot ExitError.* Error.*"}},
	"os/signal": {{check: process, does: "waits for signals"}},
	"os/user":   {{check: env, does: "depends on the machine"}},
	"syscall":   {{check: process, does: "calls the operating system", except: "Errno.* Signal.*"}},
	"flag":      {{check: env, does: "depends on the command line"}},
	"plugin":    {{check: file, does: "loads code from a file"}},

	"io/ioutil":     {{check: file, does: "uses files", only: "ReadFile WriteFile ReadDir TempFile TempDir"}},
	"path/filepath": {{check: file, does: "reads the file system", only: "Walk WalkDir Glob Abs EvalSymlinks"}},
	"text/template": {{check: file, does: "reads files", only: "ParseFiles ParseGlob Template.ParseFiles Template.ParseGlob"}},
	"html/template": {{check: file, does: "reads files", only: "ParseFiles ParseGlob Template.ParseFiles Template.ParseGlob"}},

	"net": {{check: network, does: "uses the network", except: "ParseIP ParseCIDR ParseMAC IPv4 IPv4Mask CIDRMask JoinHostPort SplitHostPort IP.* IPNet.* IPMask.* HardwareAddr.* IPv4bcast IPv4allsys IPv4allrouter IPv4zero IPv6zero IPv6unspecified IPv6loopback ErrClosed ErrWriteToConnected"}},
	"net/http": {{check: network, does: "uses the network", except: "StatusText CanonicalHeaderKey DetectContentType ParseTime ParseHTTPVersion ParseCookie ParseSetCookie NewRequest NoBody Header.* Cookie.* Request.* " +
		"ErrAbortHandler ErrBodyNotAllowed ErrHandlerTimeout ErrNoCookie ErrNoLocation ErrServerClosed ErrUseLastResponse ErrNotSupported ErrMissingFile"}},
	"net/rpc":      {{check: network, does: "uses the network"}},
	"net/smtp":     {{check: network, does: "uses the network", except: "PlainAuth CRAMMD5Auth"}},
	"crypto/tls":   {{check: network, does: "uses the network", only: "Dial DialWithDialer Listen Dialer.* Conn.*"}, {check: file, does: "reads files", only: "LoadX509KeyPair"}},
	"crypto/x509":  {{check: file, does: "reads files", only: "SystemCertPool"}},
	"database/sql": {{check: network, does: "uses a database", except: "Named ErrNoRows ErrConnDone ErrTxDone Null*"}},
	"log/syslog":   {{check: network, does: "uses the network"}},

	"log":      {{check: output, does: "is written again on every replay", except: "New"}},
	"log/slog": {{check: output, does: "is written again on every replay", only: "Debug DebugContext Info InfoContext Warn WarnContext Error ErrorContext Log LogAttrs Default SetDefault With"}},
	"fmt": {
		{check: output, does: "is written again on every replay", only: "Print Printf Println"},
		{check: file, does: "reads standard input", only: "Scan Scanf Scanln"},
	},

	"context": {{check: context, does: "makes a context that replay does not control", only: "Background TODO WithCancel WithCancelCause WithDeadline WithDeadlineCause WithTimeout WithTimeoutCause AfterFunc"}},

	"github.com/google/uuid":          {{check: random, does: "is not the same on replay", instead: "use turnstile.UUID", only: "New NewString NewRandom NewRandomFromReader NewUUID NewV6 NewV7 NewV7FromReader NewDCEGroup NewDCEPerson NewDCESecurity"}},
	"github.com/gofrs/uuid":           {{check: random, does: "is not the same on replay", instead: "use turnstile.UUID", only: "NewV1 NewV4 NewV6 NewV7"}},
	"github.com/gofrs/uuid/v5":        {{check: random, does: "is not the same on replay", instead: "use turnstile.UUID", only: "NewV1 NewV4 NewV6 NewV7"}},
	"github.com/oklog/ulid/v2":        {{check: random, does: "is not the same on replay", instead: "use turnstile.UUID", only: "Make Now DefaultEntropy"}},
	"github.com/rs/xid":               {{check: random, does: "is not the same on replay", instead: "use turnstile.UUID", only: "New NewWithTime"}},
	"github.com/segmentio/ksuid":      {{check: random, does: "is not the same on replay", instead: "use turnstile.UUID", only: "New NewRandom NewRandomWithTime"}},
	"github.com/nrednav/cuid2":        {{check: random, does: "is not the same on replay", instead: "use turnstile.UUID", only: "Generate"}},
	"github.com/matoous/go-nanoid/v2": {{check: random, does: "is not the same on replay", instead: "use turnstile.UUID"}},
}

// awsServices is the prefix of the import paths of the AWS clients. They reach the network only
// through an interface.
const awsServices = "github.com/aws/aws-sdk-go-v2/service/"

var awsClient = rule{check: network, does: "uses the network"}

// ruleFor returns the rule for a function, method or package-level variable, nil if there is none.
func ruleFor(obj types.Object) *rule {
	if obj.Pkg() == nil {
		return nil
	}
	if f, ok := obj.(*types.Func); ok && receiverName(f) == "Client" && strings.HasPrefix(f.Pkg().Path(), awsServices) {
		return &awsClient
	}
	rules := tables[obj.Pkg().Path()]
	if rules == nil {
		return nil
	}
	name, owner := obj.Name(), ""
	if f, ok := obj.(*types.Func); ok {
		if owner = receiverName(f); owner != "" {
			if strings.Contains(harmless, " "+name+" ") {
				return nil
			}
			name = owner + "." + name
		}
	}
	if _, isVar := obj.(*types.Var); isVar && owner == "" && !readable(rules, name) {
		return nil
	}
	for i := range rules {
		r := &rules[i]
		if r.only != "" && lists(r.only, name, owner) || r.only == "" && !lists(r.except, name, owner) {
			return r
		}
	}
	return nil
}

// readable reports whether a variable is checked: the variables of a package that is forbidden as a
// whole, and those that a rule names.
func readable(rules []rule, name string) bool {
	for _, r := range rules {
		if r.only == "" || lists(r.only, name, "") {
			return true
		}
	}
	return false
}

func lists(names, name, owner string) bool {
	for _, n := range strings.Fields(names) {
		prefix, wide := strings.CutSuffix(n, "*")
		switch {
		case n == name:
			return true
		case !wide:
		case owner != "" && strings.TrimSuffix(prefix, ".") == owner, !strings.HasSuffix(prefix, ".") && strings.HasPrefix(name, prefix):
			return true
		}
	}
	return false
}

// receiverName returns the name of the type of a method's receiver, empty for a function.
func receiverName(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}
