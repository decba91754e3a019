# Ask a running consumer for the posterior of one model over HTTP.
#
#   Rscript get_model.R http://127.0.0.1:8080 flights/SFO

library(jsonlite)

args <- commandArgs(trailingOnly = TRUE)
# A key is one path segment: its slashes and spaces are escaped.
address <- paste0(args[1], "/v1/models/", URLencode(enc2utf8(args[2]), reserved = TRUE))
connection <- url(address, headers = c(Accept = "application/json"))
model <- fromJSON(readLines(connection, warn = FALSE, encoding = "UTF-8"))
close(connection)

# model$posterior is a data frame, one row per variable.
frame <- cbind(key = model$key, t = model$t, n = model$n, model$posterior)
numbers <- vapply(frame, is.numeric, TRUE)
frame[numbers] <- lapply(frame[numbers], function(x) ifelse(is.na(x), NA, sprintf("%.17g", x)))
write.csv(frame, na = "", row.names = FALSE)
