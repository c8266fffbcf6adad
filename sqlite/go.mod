module github.com/turnstile-go/turnstile/sqlite

go 1.26.0

require (
	github.com/ncruces/go-sqlite3 v0.35.0
	github.com/turnstile-go/turnstile v0.1.0
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.49.0
)

require (
	github.com/ncruces/go-sqlite3-wasm/v3 v3.1.35302 // indirect
	github.com/ncruces/julianday v1.0.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
