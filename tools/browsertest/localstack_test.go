package browsertest

import (
	"crypto/rand"
	"os"
	"testing"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// TestOnLocalStack runs an order on the template that is deployed in LocalStack,
// from the page that `make local-up` serves: started, watched, approved, purged. The forms offer
// names and examples, and check data, by what the functions have recorded of their code.
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

	// The functions have recorded what their code has, and the forms know it.
	b.click("button", "Raise an event")
	b.shows("The code expects orders.Approval")
	b.field("Data", `{"by":7,"approved":true}`)
	b.shows("Error", "by is a number, but the code expects a string (string)", "Raise it anyway")
	b.click("dialog label", "Data")
	b.wait(`document.activeElement.select() === undefined`)
	b.write(`{"by":"Grace","approved":true}`)
	b.wait(`!document.querySelector("dialog .problems-list")`)
	b.click("dialog button", "Raise the event")
	b.status("completed")
	b.click("a", "Values")
	b.shows(`"shipped"`, "Pigeon Post")

	b.press("n")
	b.wait(`[...document.querySelectorAll("#known-names option")].some((o) => o.value === "Ship")`)
	b.field("Orchestration", "Fulfil")
	b.shows("The code expects orders.Order")
	b.click("dialog button", "Insert an example")
	b.wait(`document.querySelector("dialog textarea").value.includes("customer")`)
	b.click("dialog button", "Use the last input")
	b.wait(`document.querySelector("dialog textarea").value.includes("4111111111111111")`)
	b.axeFinds("the form on AWS")
	b.press("Escape")

	b.goTo("#/instances?name=Fulfil&status=completed")
	b.wait(`document.querySelector('[data-instance=` + `"` + id + `"` + `]')`)
	b.goTo("#/queues")
	b.shows("orchestrator", "dead-fifo")
	b.click("button", "Read the age")
	b.wait(`!document.querySelector("main [role=alert]")`)
	b.goTo("#/stuck")
	b.goTo("#/about")
	b.shows("history table", "polled every")

	b.goTo(instance(id, ""))
	b.status("completed")
	b.click("button", "Purge")
	b.click("dialog label.sure", "")
	b.click("dialog button", "Purge the instance")
	b.wait(`location.hash === "#/instances"`)
}
