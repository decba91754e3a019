// Command go reads posteriors from Kafka with franz-go and arrow-go and prints
// every one once, one line per variable, separated by tabs:
//
//	go run ./examples/clients/go -brokers 127.0.0.1:9092 -topic posteriors
//
// It stops at the topic's end. The messages must be in Arrow (kafka.format:
// arrow, the default).
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	brokers := flag.String("brokers", "127.0.0.1:9092", "Kafka brokers, separated by commas")
	topic := flag.String("topic", "posteriors", "topic of posteriors")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := bufio.NewWriter(os.Stdout)
	err := read(ctx, strings.Split(*brokers, ","), *topic, &printer{out: out})
	if err := errors.Join(err, out.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read hands every posterior of the topic to the printer, to the end that the
// topic has now.
func read(ctx context.Context, brokers []string, topic string, p *printer) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return err
	}
	defer client.Close()
	left, err := ends(ctx, client, topic)
	if err != nil {
		return err
	}
	seen := once{}
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		for r := range fetches.RecordsAll() {
			fresh, err := seen.fresh(r)
			if err == nil && fresh && r.Value != nil { // nil: the model was deleted
				err = p.print(r)
			}
			if err != nil {
				return fmt.Errorf("topic %s, partition %d, offset %d: %w", r.Topic, r.Partition, r.Offset, err)
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		}
	}
	return nil
}

// once remembers the greatest offset per source and key. After a crash Credence
// may send messages again, byte for byte the same: smaller ones are ignored.
type once map[[2]string]int64

func (o once) fresh(r *kgo.Record) (bool, error) {
	header := map[string]string{}
	for _, h := range r.Headers {
		header[h.Key] = string(h.Value)
	}
	offset, err := strconv.ParseInt(header["ce_id"], 10, 64)
	if err != nil {
		return false, fmt.Errorf("header ce_id: %w", err)
	}
	source := [2]string{header["ce_source"], string(r.Key)}
	if greatest, ok := o[source]; ok && offset <= greatest {
		return false, nil
	}
	o[source] = offset
	return true, nil
}

// printer writes posteriors below one header.
type printer struct {
	out    io.Writer
	header bool
}

// print writes the rows of a message: the column variable and one column of
// numbers per statistic, empty where it is not defined.
func (p *printer) print(r *kgo.Record) error {
	stream, err := ipc.NewReader(bytes.NewReader(r.Value))
	if err != nil {
		return err
	}
	defer stream.Release()
	schema := stream.Schema()
	about := schema.Metadata()
	t, _ := about.GetValue("credence.t")
	n, _ := about.GetValue("credence.n")
	if !p.header {
		p.header = true
		names := []string{"key", "t", "n"}
		for _, f := range schema.Fields() {
			names = append(names, f.Name)
		}
		fmt.Fprintln(p.out, strings.Join(names, "\t"))
	}
	for stream.Next() {
		batch := stream.Record()
		for i := range int(batch.NumRows()) {
			line := []string{string(r.Key), t, n}
			for _, column := range batch.Columns() {
				line = append(line, cell(column, i))
			}
			fmt.Fprintln(p.out, strings.Join(line, "\t"))
		}
	}
	return stream.Err()
}

// cell is entry i of a column as text; numbers take the shortest form that
// reads back the same.
func cell(column arrow.Array, i int) string {
	if column.IsNull(i) {
		return ""
	}
	switch c := column.(type) {
	case *array.Float64:
		return strconv.FormatFloat(c.Value(i), 'g', -1, 64)
	case *array.String:
		return c.Value(i)
	default:
		return column.ValueStr(i)
	}
}
