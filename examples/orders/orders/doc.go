// Package orders is the sample application: an order is fulfilled. Stock is
// reserved and the customer is charged side by side, somebody has to approve,
// reminders go out meanwhile, the parcel is shipped by an orchestration of its
// own, and whatever was done is undone when a later step fails.
//
// definitions.go declares everything; an orchestration is in the file of its
// name, the activities are in activities.go, what they work with is in
// services.go. Orchestrations and Activities are apart because the process
// that runs orchestrations needs none of the services.
package orders
