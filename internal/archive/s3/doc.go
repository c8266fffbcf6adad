// Package s3 is an archive in a bucket of Amazon S3.
//
// The permissions it needs: s3:PutObject on the objects under its prefix and nothing else. It
// does not read, list or delete. Where objects are encrypted with a key of the customer it
// needs kms:GenerateDataKey and kms:Decrypt on that too.
//
// Limits of S3: 5 GB an object that is put at once, 3,500 puts a second under a prefix.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html
package s3
