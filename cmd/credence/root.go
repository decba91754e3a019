package main

import (
	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	consumer "github.com/credence-stream/credence/cmd/consumer/commands"
	"github.com/credence-stream/credence/cmd/internal/cli"
	producer "github.com/credence-stream/credence/cmd/producer/commands"
)

// sending is the group of the producer's commands in the help.
const sending = "send"

// root returns the root of all commands: those of consumer and producer, side by side under
// their own names.
func root(a *app.App) *cobra.Command {
	root := &cobra.Command{
		Use:   cli.Single,
		Short: "Bayesian models over a Kafka topic, one per key, exactly once",
		Long: cli.Single + ` updates Bayesian models, one per record key, with a Kafka topic of data
shards, and publishes a posterior summary after every shard. It is the programs
consumer and producer in one: their commands have the same names here.

` + consumer.Start(a),
	}
	consumer.Fill(root, a)
	root.AddGroup(&cobra.Group{ID: sending, Title: "Send data:"})
	for _, c := range producer.New(a.Names, a.Out, a.Err).Commands() {
		c.GroupID = sending
		root.AddCommand(c)
	}
	return root
}
