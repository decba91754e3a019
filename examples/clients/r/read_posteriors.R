# Read posteriors as JSON lines from standard input into a data frame.
#
#   consumer tail --config credence.yaml --format json --until-end | Rscript read_posteriors.R
#
# `tail` reads both formats of the topic and prints every posterior once. This
# prints the data frame as CSV, one line per key, t and variable.

library(jsonlite)

messages <- stream_in(file("stdin"), verbose = FALSE)
frame <- do.call(rbind, lapply(seq_len(nrow(messages)), function(i) {
  cbind(messages[i, c("key", "t", "n")], messages$posterior[[i]], row.names = NULL)
}))

# From here on it is your data frame. How each key's newest posterior looks:
# frame[frame$t == ave(frame$t, frame$key, FUN = max), ]

numbers <- vapply(frame, is.numeric, TRUE)
frame[numbers] <- lapply(frame[numbers], function(x) ifelse(is.na(x), NA, sprintf("%.17g", x)))
write.csv(frame, na = "", row.names = FALSE)
