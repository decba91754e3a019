# Runs the Gibbs samplers of probit regression that R has, as serve.py does:
#   begin NAME P ROWS   ready, or the script ends
#   run SECONDS         ROW-DRAWS CPU WALL

begin <- function(name, p, n) {
  set.seed(1)
  draws <- max(500, 10000 %/% p) # long enough that beginning costs nothing
  x <- cbind(1, matrix(rnorm(n * (p - 1)), n))
  y <- as.integer(x %*% rnorm(p, sd = 1 / sqrt(p)) + rnorm(n) > 0)
  task <- switch(name,
    mcmcpack = function() MCMCpack::MCMCprobit(y ~ x - 1, burnin = 0, mcmc = draws, beta.start = 0, b0 = 0, B0 = 1, verbose = 0),
    bayesm = function() bayesm::rbprobitGibbs(Data = list(y = y, X = x), Prior = list(betabar = rep(0, p), A = diag(p)),
      Mcmc = list(R = draws, keep = 1, nprint = 0)))
  run <- function() utils::capture.output(task())
  run() # loads the package
  list(run = run, units = draws * n)
}

measure <- function(task, seconds) {
  start <- proc.time()
  done <- 0
  repeat {
    task$run()
    done <- done + task$units
    spent <- proc.time() - start
    if (spent[["elapsed"]] >= seconds) return(c(done, spent[["user.self"]] + spent[["sys.self"]], spent[["elapsed"]]))
  }
}

input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
  words <- strsplit(line, " ")[[1]]
  if (words[1] == "begin") {
    task <- begin(words[2], as.integer(words[3]), as.integer(words[4]))
    cat("ready\n")
  } else cat(format(measure(task, as.numeric(words[2])), digits = 15, scientific = FALSE, trim = TRUE), "\n")
  flush(stdout())
}
