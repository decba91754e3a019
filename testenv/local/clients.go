//go:build unix

package local

import (
	"bytes"
	"context"
	"errors"
	"text/template"

	"github.com/credence-stream/credence/testenv/install"
)

// Clients are what programs in Java need that speak to Kafka.
type Clients struct {
	Java  string // 17 or later
	Javac string
	Jars  string // folder with the jars of kafka-clients, of Kafka's command-line tools and of Jackson
}

// FindClients installs what is missing and returns where it is. The version is
// the broker's.
func FindClients(ctx context.Context, o Options) (c Clients, err error) {
	version, err := kafkaVersion()
	if err != nil {
		return c, err
	}
	t, err := template.ParseFS(files, "files/tools.xml")
	if err != nil {
		return c, err
	}
	var pom bytes.Buffer
	if err := t.Execute(&pom, version); err != nil {
		return c, err
	}
	i, err := install.New(ctx, o.Logf)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	if c.Java, err = java(ctx, i); err != nil {
		return c, err
	}
	if c.Javac, err = i.Program(ctx, "javac", "default-jdk-headless"); err != nil {
		return c, err
	}
	c.Jars, err = resolve(ctx, i, "kafka-tools-"+version, pom.Bytes())
	return c, err
}
