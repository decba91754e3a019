# A forest plot of one variable over all models of a running consumer: for each
# key the median, a thick line for half of the probability and a thin one for 95 %.
#
#   Rscript forest.R http://127.0.0.1:8080 'beta[distance]' forest.pdf [PREFIX]
#
# The file's name ends in .pdf, .png or .svg; with PREFIX only the keys that begin
# so are drawn. Prints what it draws as CSV, one line per key. Needs base R and
# jsonlite.

library(jsonlite)

args <- commandArgs(trailingOnly = TRUE)
if (length(args) < 3) stop("usage: Rscript forest.R URL VARIABLE FILE [PREFIX]")
base <- args[1]
variable <- args[2]
file <- args[3]
prefix <- if (length(args) > 3) args[4] else ""
bands <- c("q2.5", "q25", "median", "q75", "q97.5")

escape <- function(text) URLencode(enc2utf8(text), reserved = TRUE)

# One page of the list of models. Names of variables are asked for as globs, in
# which a comma separates.
page <- function(after) {
  address <- paste0(
    base, "/v1/models?limit=500&prefix=", escape(prefix), "&after=", escape(after),
    "&variables=", escape(gsub(",", "*", variable, fixed = TRUE))
  )
  connection <- url(address, headers = c(Accept = "application/json"))
  on.exit(close(connection))
  fromJSON(readLines(connection, warn = FALSE, encoding = "UTF-8"), simplifyVector = FALSE)
}

rows <- list()
after <- ""
while (!is.null(after)) {
  models <- page(after)
  for (model in models$models) {
    for (row in model$posterior) {
      if (row$variable == variable) {
        rows[[length(rows) + 1]] <- data.frame(key = model$key, t = model$t, n = model$n, as.list(unlist(row[bands])), check.names = FALSE)
      }
    }
  }
  after <- models[["next"]]
}
if (length(rows) == 0) stop("no model at ", base, " has a variable ", variable, " and a key that begins with '", prefix, "'")
frame <- do.call(rbind, rows)
frame <- frame[order(frame$median), ]

# Room for the keys at the left, a fifth of an inch for each.
wide <- 8
high <- max(3, 1.5 + 0.2 * nrow(frame))
switch(tools::file_ext(file),
  pdf = cairo_pdf(file, wide, high),
  svg = svg(file, wide, high),
  png = png(file, wide, high, units = "in", res = 150, type = "cairo"),
  stop("cannot draw to ", file, ": its name must end in .pdf, .png or .svg")
)
par(mai = c(0.8, 0.4 + max(strwidth(frame$key, units = "inches")), 0.5, 0.3))
at <- seq_len(nrow(frame))
plot(NULL, xlim = range(0, frame[bands]), ylim = c(0.5, nrow(frame) + 0.5), yaxt = "n", ylab = "", xlab = variable)
title(paste(variable, "of", nrow(frame), "models"))
axis(2, at, frame$key, las = 1)
abline(v = 0, lty = 2, col = "grey50")
segments(frame$q2.5, at, frame$q97.5, at)
segments(frame$q25, at, frame$q75, at, lwd = 4)
points(frame$median, at, pch = 21, bg = "white")
invisible(dev.off())

frame[bands] <- lapply(frame[bands], sprintf, fmt = "%.17g")
write.csv(frame, row.names = FALSE)
