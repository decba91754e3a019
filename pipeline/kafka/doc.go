// Package kafka is the pipeline's only door to Kafka: group membership, the
// fetch loop's log, the publisher of outputs, topic administration and a
// reader for tools.
//
// Requests are encoded and routed here, over kafka-go's protocol types, and
// not by its Client and Transport, for three reasons. A fetch answer is needed
// as bytes: Transport unpacks a whole batch before anyone can refuse it and
// hides offsets of control batches. A leader that moved is looked up at once
// and not when a cache expires. And a request that is given up closes its
// connection, so that nothing goes on behind the caller's back.
package kafka
