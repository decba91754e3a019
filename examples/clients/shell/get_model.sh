#!/usr/bin/env bash
# Ask a running consumer for the posterior of one model with curl and jq.
#
#   ./get_model.sh http://127.0.0.1:8080 flights/SFO
#
# Prints a header and one line per variable, separated by tabs.
set -euo pipefail
base=$1 key=$2

# A key is one path segment: its slashes and spaces are escaped.
segment=$(jq --null-input --raw-output --arg key "$key" '$key | @uri')
model=$(curl --silent --show-error --fail --header 'Accept: application/json' "$base/v1/models/$segment")
jq --raw-output '
  . as $model
  | (.posterior[0] | keys_unsorted) as $columns
  | (["key", "t", "n"] + $columns),
    (.posterior[] | . as $row | [$model.key, $model.t, $model.n] + [$columns[] | $row[.]])
  | @tsv' <<<"$model"
