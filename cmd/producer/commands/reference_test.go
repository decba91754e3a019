package commands

import (
	"io"
	"testing"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
)

func TestReferenceOfCommands(t *testing.T) {
	clitest.CheckPage(t, "../../../docs/reference/producer.md", clitest.Commands(New(cli.Apart(), io.Discard, io.Discard).root()))
}
