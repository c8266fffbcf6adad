// Package s3 is an archive in an Amazon S3 bucket.
//
// The only permission that it needs is s3:PutObject on the objects under its prefix; it does not read,
// list or delete. If objects are encrypted with a customer key, it also needs kms:GenerateDataKey and
// kms:Decrypt on the key.
//
// Limits of S3: 5 GB for an object in one put, 3,500 puts a second under a prefix.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html
package s3
