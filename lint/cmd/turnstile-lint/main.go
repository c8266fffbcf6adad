// Command turnstile-lint finds code that makes an orchestration nondeterministic: see package lint,
// and docs/lint.md.
//
//	turnstile-lint ./...
//	go vet -vettool=$(which turnstile-lint) ./...
package main

import (
	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/turnstile-go/turnstile/lint"
)

func main() { singlechecker.Main(lint.Analyzer) }
