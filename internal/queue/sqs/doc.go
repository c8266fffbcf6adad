// Package sqs is a queue on Amazon SQS.
//
// The permissions it needs on the queue: sqs:SendMessage to send,
// sqs:ReceiveMessage, sqs:DeleteMessage and sqs:ChangeMessageVisibility to
// receive. FIFO queues are expected in high-throughput mode (deduplication
// scope and throughput limit per group), and with content-based deduplication
// where messages without a deduplication id are sent.
//
// Limits of SQS: 1 MiB a message and a batch, 10 messages a batch, delays of 0
// to 900 s, visibility of 0 to 12 h, both in whole seconds: fractions are
// rounded up.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
package sqs
