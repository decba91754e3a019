# Load a model's draws into R's package posterior and summarise them.
#
#   python ../python/draws_to_csv.py --brokers 127.0.0.1:9092 --topic posteriors.draws \
#       --key flights/SFO | Rscript summarise_draws.R
#
# The columns .chain, .iteration and .draw are posterior's own names, so that a
# data frame with them is a draws_df: bayesplot and the rest take it as it is.

library(posterior)

draws <- as_draws_df(read.csv(file("stdin"), check.names = FALSE))
summary <- as.data.frame(summarise_draws(draws, "mean", "sd", "mcse_mean", "ess_bulk", "ess_tail", r_hat = "rhat"))

numbers <- vapply(summary, is.numeric, TRUE)
summary[numbers] <- lapply(summary[numbers], function(x) ifelse(is.na(x), NA, sprintf("%.17g", x)))
write.csv(summary, na = "", row.names = FALSE)
