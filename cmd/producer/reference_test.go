package main

import (
	"testing"

	"github.com/credence-stream/credence/cmd/internal/clitest"
)

func TestReferenceOfCommands(t *testing.T) {
	clitest.CheckPage(t, "../../docs/reference/producer.md", clitest.Commands(new(program).root()))
}
