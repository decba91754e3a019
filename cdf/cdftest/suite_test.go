package cdftest_test

import (
	"testing"

	"github.com/credence-stream/credence/cdf/cdftest"
)

func TestLine(t *testing.T)   { cdftest.TestModel(t, cdftest.Line, cdftest.LineShards) }
func TestLevels(t *testing.T) { cdftest.TestModel(t, cdftest.Levels, cdftest.LevelShards) }
