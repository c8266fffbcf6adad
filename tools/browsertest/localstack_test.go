package browsertest

import (
	"crypto/rand"
	"os"
	"testing"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// TestOnLocalStack runs an order on the template that is deployed in LocalStack,
// from the page that `make local-up` serves: started, watched, approved, purged.
func TestOnLocalStack(t *testing.T) {
	url := os.Getenv("TURNSTILE_CONSOLE")
	if url == "" || os.Getenv("TURNSTILE_LOCALSTACK") != "1" {
		t.Skip("NOT RUN: needs the console of the stack in LocalStack (localstack/local.sh up, its env, and TURNSTILE_LOCALSTACK=1); `make test` starts it and runs this")
	}
	s, id := &site{t: t, url: url}, "order "+rand.Text()
	s.notThere("instances/" + encode(id)) // It is opened before it has begun.
	b := s.open("", browser.View{})
	b.settled()
	b.shows("local stack")

	b.press("n")
	b.field("Orchestration", "Fulfil")
	b.field("Input", `{"id":"`+id+`","customer":"Ada","card":"4111111111111111","lines":[{"sku":"book","quantity":2,"price":1499}]}`)
	b.field("Instance id", id)
	b.click("dialog button", "Start")
	b.wait(`location.hash === ` + js("#/instances/"+encode(id)))
	b.status("running")
	b.shows("waiting for approval", "ReserveStock", "Charge", "Remind", "approved")
	b.wait(`document.querySelectorAll("main .bar.done").length >= 2`)
	b.click("a", "Waiting for 3")
	b.shows("timer", "in 59m")

	b.click("button", "Raise an event")
	b.field("Data", `{"by":"Grace","approved":true}`)
	b.click("dialog button", "Raise")
	b.status("completed")
	b.click("a", "Values")
	b.shows(`"shipped"`, "Pigeon Post")

	b.goTo("#/instances?name=Fulfil&status=completed")
	b.wait(`document.querySelector('[data-instance=` + `"` + id + `"` + `]')`)
	b.goTo("#/queues")
	b.shows("orchestrator", "dead-fifo")
	b.click("button", "Ask for it")
	b.wait(`!document.querySelector("main [role=alert]")`)
	b.goTo("#/stuck")
	b.goTo("#/about")
	b.shows("history table", "looked for every")

	b.goTo(instance(id, ""))
	b.status("completed")
	b.click("button", "Purge")
	b.click("dialog label.sure", "")
	b.click("dialog button", "Purge the instance")
	b.wait(`location.hash === "#/instances"`)
}
