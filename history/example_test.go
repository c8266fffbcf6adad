package history_test

import (
	"fmt"
	"log"
	"os"

	"github.com/turnstile-go/turnstile/history"
)

// An exported history, as turnstile history --export writes it and an archive keeps it.
func ExampleDecodeExport() {
	data, err := os.ReadFile("../testdata/histories/v0/words/TestTheWordsOfAuthorsAreRedriven-Redriven-1.json")
	if err != nil {
		log.Fatal(err)
	}
	export, err := history.DecodeExport(data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(export.Instance, "execution", export.ExecutionID)
	for _, e := range export.Events[:4] {
		fmt.Println(e.EventID, e.Kind)
	}
	// Output:
	// Redriven execution 1
	// 1 OrchestrationStarted
	// 2 TimerCreated
	// 3 ActivityScheduled
	// 4 ActivityCompleted
}

// Events as they are stored: one JSON document for each turn.
func ExampleDecode() {
	doc := history.Encode([]history.Event{
		{EventID: 3, Kind: history.ActivityCompleted, SourceEventID: 2, Attempt: 1, Payload: []byte(`"paid"`)},
		{EventID: 4, Kind: history.TimerCreated, FireAtMS: 1_900_000_000_000},
	})
	events, err := history.Decode(doc)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range events {
		fmt.Println(e.EventID, e.Kind, e.SourceEventID)
	}
	// Output:
	// 3 ActivityCompleted 2
	// 4 TimerCreated 0
}
