// Package orders is the sample application: it fulfils an order. It reserves stock and charges the
// customer concurrently, waits for an approval while it sends reminders, and ships the parcel with
// an orchestration of its own. If a later step fails, it undoes the completed steps.
//
// definitions.go declares everything. Each orchestration is in the file of its name, the activities
// are in activities.go, and the services that they use are in services.go. Orchestrations and
// Activities are separate because the process that runs orchestrations needs none of the services.
package orders
