// Package integration holds the tests that see Credence as its users do: they
// build the consumer and the producer, run them as processes against a broker
// and a store, send them good and bad records, take the servers away, and read
// what comes out with other people's tools. The folder python has the examples
// for confluent-kafka, pyarrow, pandas and polars that these tests run.
package integration
