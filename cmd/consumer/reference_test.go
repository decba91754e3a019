package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/commands"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/trace/otlp"
	"github.com/credence-stream/credence/sink/web"
)

func TestReferenceOfCommands(t *testing.T) {
	a := &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: io.Discard, Err: io.Discard}
	clitest.CheckPage(t, "../../docs/reference/consumer.md", clitest.Commands(commands.Root(a)))
}

// descriptions takes down what is registered with it.
type descriptions struct{ all []*prometheus.Desc }

func (d *descriptions) Register(c prometheus.Collector) error {
	of := make(chan *prometheus.Desc, 64)
	c.Describe(of)
	close(of)
	for x := range of {
		d.all = append(d.all, x)
	}
	return nil
}

func (d *descriptions) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		_ = d.Register(c) // never fails
	}
}

func (d *descriptions) Unregister(prometheus.Collector) bool { return false }

var description = regexp.MustCompile(`fqName: "([^"]+)", help: "([^"]*)".*variableLabels: \{([^}]*)\}`)

func TestReferenceOfMetrics(t *testing.T) {
	d := new(descriptions)
	if _, err := pipeline.New(pipeline.Options{
		Interval: 1, Records: 1, Bytes: 1, Inflight: 1, Heartbeat: 1, Flush: 1,
		Metrics: pipeline.NewMetrics(d, "page"),
	}); err != nil {
		t.Fatal(err)
	}
	web.RegisterMetrics(d)
	otlp.RegisterMetrics(d)
	run.RegisterMetrics(d, pipeline.NewMetrics(prometheus.NewRegistry(), "page"), func() int64 { return 0 }, func() int64 { return 0 })
	var rows []string
	for _, x := range d.all {
		m := description.FindStringSubmatch(x.String())
		if m == nil {
			t.Fatalf("not understood: %s", x)
		}
		name := m[1]
		if m[3] != "" {
			name += "{" + m[3] + "}"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", name, m[2]))
	}
	slices.Sort(rows)
	clitest.CheckPage(t, "../../docs/reference/metrics.md", "# Metrics\n\nMade from the program by `make reference`. Which are worth an alert: [operations](../operations.md#metrics).\n\n"+
		"| metric | meaning |\n| --- | --- |\n"+strings.Join(rows, ""))
}
