package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
)

// login lets in who has a cookie of a session, as a stand-in for a login of yours.
func login(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("session"); err != nil {
			http.Error(w, "log in first", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// userOf is who is logged in.
func userOf(r *http.Request) string {
	session, err := r.Cookie("session")
	if err != nil {
		return ""
	}
	return session.Value
}

// The console under a path of a program's own server, behind its login.
func ExampleHandler() {
	// In a service: awslambda.NewClient, or the client of an embedded runtime.
	q, err := memory.New(memory.Options{Name: "orchestrator", FIFO: true})
	if err != nil {
		panic(err)
	}
	defer q.Close()
	c, err := client.New(client.Config{Store: memorystore.New(), Queue: q})
	if err != nil {
		panic(err)
	}

	h, err := console.Handler(c,
		console.AllowHosts("ops.example.com"), // the host name in the browser
		console.AllowActions(),
		console.WithActor(userOf), // recorded in histories as the actor
	)
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/turnstile/", login(http.StripPrefix("/turnstile", h)))

	for _, cookie := range []string{"", "session=grace"} {
		r := httptest.NewRequest("GET", "https://ops.example.com/turnstile/api/v1/instances", nil)
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 401 log in first
	//
	// 200 {"instances":[]}
}
