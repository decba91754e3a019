package main

// ofLost are faults of what is told where brokers have lost what they had acknowledged.
var ofLost = []mutant{
	{"lost outputs are not told", "pipeline/kafka/lost.go",
		"if why == nil || p.OnLost == nil {", "if true {", "TestLossIsTold", broker},
	{"what a leader lacks is sent over", "pipeline/kafka/lost.go",
		"case t.next > 0 && errors.Is(err, kafka.OutOfOrderSequenceNumber):", "case false && errors.Is(err, kafka.OutOfOrderSequenceNumber):", "TestLossIsTold", broker},
	{"a lost answer is a lost output", "pipeline/kafka/session.go",
		"return t.session, t.floor, true", "return t.session, r.end, true", "TestPublishOnce", broker},
	{"a loss is told of again and again", "pipeline/kafka/lost.go",
		"r.end = at + int64(n)\n\t\treturn false", "return false", "TestLossIsTold", broker},
	{"a worker keeps a loss to itself", "cmd/consumer/connect/connection.go",
		"logger.Error(\"outputs may be lost\"", "logger.Debug(\"outputs may be lost\"", "TestLostOutputsAreLogged", []string{"./cmd/consumer/connect"}},
	{"letters are sent behind those that are lost", "cmd/consumer/deadletters/replay.go",
		"p.OnLost = kafka.StopAtLoss", "p.OnLost = nil", "TestReplayStopsAtALoss", []string{"./cmd/consumer/deadletters"}},
	{"a producer sends behind what is lost", "cmd/producer/commands/wire.go",
		"publisher.OnLost = kafka.StopAtLoss", "publisher.OnLost = nil", "TestProducerStopsAtALoss", []string{"./cmd/producer/commands"}},
	{"shards are sent behind those that are lost", "cmd/internal/replay/sender.go",
		"case errors.Is(err, pipeline.ErrLost):", "case false:", "TestSenderStopsAtOnce", []string{"./cmd/internal/replay"}},
	{"the first number of partitions seen taken for what was given out", "pipeline/kafka/attend.go",
		"\t\tif !ok {\n", "\t\tif n = -1; !ok {\n", "TestGroupMorePartitionsMeanwhile", broker},
	{"a topic that is missing ends each generation at once", "pipeline/kafka/attend.go",
		"case n != dealt && looks > 1:", "case gone || n != dealt && looks > 1:", "TestGroupWithoutTopic", broker},
	{"a member without a topic is ready", "pipeline/kafka/attend.go",
		"\t\t\t\tm.over(gen)\n", "", "TestGroupWithoutTopic", broker},
	{"a missing topic is not told", "cmd/consumer/connect/connection.go",
		" && !errors.Is(err, pipeline.ErrNoTopic) {", " {", "TestMissingTopicIsAnOutage", []string{"./cmd/consumer/connect"}},
}
