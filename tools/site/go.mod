module github.com/turnstile-go/turnstile/tools/site

go 1.26.0
