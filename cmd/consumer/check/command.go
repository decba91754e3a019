// Package check is the command check: it looks at everything that a worker
// depends on, changes nothing, and says what to fix.
package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// Command returns the command check.
func Command(a *app.App) *cobra.Command {
	var f app.Flags
	var asJSON bool
	var outage time.Duration
	cmd := &cobra.Command{
		Use:   "check --config FILE",
		Short: "Check configuration, brokers, topics and store, and say what to fix",
		Long: `check examines everything that the command run depends on and changes nothing: the
configuration, the brokers, the topics and their newest records, the store.
The exit code is 1 if something would keep run from working.`,
		GroupID: app.GroupCare,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if outage <= 0 {
				return cli.Usagef("--outage is %v; it is above 0", outage)
			}
			k, err := inspect(cmd.Context(), a, &f, outage)
			if err != nil {
				return err
			}
			if err := writeFindings(a, k.findings, asJSON); err != nil {
				return err
			}
			if k.failed() {
				return cli.ErrReported
			}
			return nil
		},
	}
	f.Add(a, cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line")
	cmd.Flags().DurationVar(&outage, "outage", 24*time.Hour, "the longest `DURATION` without a consumer that the input topic has to outlast, such as 72h")
	return cmd
}

// inspect gathers the findings, each part only where those that it needs allow it.
func inspect(ctx context.Context, a *app.App, f *app.Flags, outage time.Duration) (*checker, error) {
	k := &checker{names: a.Names, outage: outage}
	if f.File == "" {
		return nil, cli.Usagef("--config FILE is missing")
	}
	c, warnings, err := config.Load(a.Source(f))
	for _, w := range warnings {
		k.add(levelWarning, "configuration", "", "%s", w)
	}
	if cli.ExitCode(err) == 2 {
		return nil, err
	}
	if err != nil {
		k.add(levelError, "configuration", "correct the file, the variable or the flag named in front", "%v", err)
		return k, nil
	}
	k.config = c
	k.add(levelOK, "configuration", "", "%s is well formed; entries of models: %d", f.File, len(c.Models))
	k.port(ctx)
	if connect.UsesEmbedded(c) {
		k.add(levelNote, "kafka and redis", "", "embedded servers start with the command run and end with it: nothing to check")
		return k, nil
	}
	if !k.kafkaAndStore(ctx) {
		k.storeAlone(ctx)
	}
	return k, nil
}

// kafkaAndStore reports whether it came to the store, whose keys have the cluster's id.
func (k *checker) kafkaAndStore(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, app.Patience)
	defer cancel()
	if !k.brokers(ctx) {
		return false
	}
	conn, err := connect.Dial(k.config)
	if err != nil {
		k.add(levelError, "kafka", "correct kafka.tls, kafka.sasl, input.schema or the files that they name", "%v", err)
		return false
	}
	defer conn.Close()
	for _, name := range conn.Reader.Lacking() {
		k.add(levelError, "models", "correct the name in models, or input.payload", "column %q is no field of the rows in %s", name, k.config.Input.Schema.File)
	}
	cluster := kafkaCluster{conn.Client}
	if !k.kafka(ctx, cluster) || !k.advertised(ctx, cluster) {
		return false
	}
	input, err := cluster.Topic(ctx, k.config.Kafka.Input)
	there := err == nil && input.partitions > 0
	if there {
		k.kept(ctx, conn.Log, input)
		k.columns(ctx, conn)
	}
	if err := conn.OpenStore(ctx, k.config); err != nil {
		k.unopened(err)
		return true
	}
	s := redisStore{conn.Store}
	before := len(k.findings)
	k.store(ctx, s)
	if there && !slices.ContainsFunc(k.findings[before:], failure) {
		k.group(ctx, s, input.partitions, conn.Log, conn.Rules.Accepts)
		marks, err := conn.Client.Marks(ctx, k.config.Kafka.Group, k.config.Kafka.Input, input.partitions)
		k.notes(ctx, s, marks, err)
		k.partitioner(ctx, s, input.partitions, kafka.PartitionOf)
	}
	return true
}

// storeAlone looks at what a store tells of itself where Kafka does not answer.
func (k *checker) storeAlone(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, app.Patience)
	defer cancel()
	s, err := connect.OpenStoreAlone(k.config)
	if err != nil {
		k.unopened(err)
		return
	}
	k.store(ctx, redisStore{s})
	_ = s.Close()
}

func (k *checker) unopened(err error) {
	k.add(levelError, "redis", "correct redis.url and redis.password_file", "%v", err)
}

// columns compares the newest shards with the configuration.
func (k *checker) columns(ctx context.Context, conn *connect.Connection) {
	i := newInspector(k.names, k.config, conn.Rules, kafka.PartitionOf)
	if err := conn.Sample(ctx, k.config, true, looked, i.visit); err != nil {
		k.add(levelError, "topic "+k.config.Kafka.Input, "allow this user to read the topic, and check whether all its partitions have leaders", "%v", err)
		return
	}
	i.report(k)
	if k.config.Input.Format != config.FormatArrow && i.shards > 0 {
		k.fields(ctx, conn)
	}
}

func writeFindings(a *app.App, all []finding, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(a.Out)
		enc.SetEscapeHTML(false)
		for _, f := range all {
			if err := enc.Encode(f); err != nil {
				return err
			}
		}
		return nil
	}
	width := 0
	for _, f := range all {
		width = max(width, len(f.Subject))
	}
	var b strings.Builder
	below := fmt.Sprintf("\n%-8s %-*s  ", "", width, "")
	for _, f := range all {
		fmt.Fprintf(&b, "%-8s %-*s  %s\n", f.Level, width, f.Subject, strings.ReplaceAll(f.Message, "\n", below))
		if f.Fix != "" {
			fmt.Fprintf(&b, "%-8s %-*s  fix: %s\n", "", width, "", f.Fix)
		}
	}
	_, err := io.WriteString(a.Out, b.String())
	return err
}
