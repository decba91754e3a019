// What the words on the page mean, for a reader who has not met them.

export interface Term {
  title: string
  text: string
}

export const terms = {
  posterior: {
    title: 'Posterior',
    text: 'What is believed about a number after all the data so far: not one value but a distribution over values. It narrows as data come in.',
  },
  key: {
    title: 'Key',
    text: 'One model. Every record of the Kafka topic carries a key; all records of one key feed the same model.',
  },
  shard: {
    title: 'Shard',
    text: 'The rows of one record. The posterior is updated once per shard, and the shard is not needed again.',
  },
  quantity: {
    title: 'Quantities',
    text: 'Answers that the configuration asks for: sums and differences of variables, the probability that one exceeds another, a prediction. They are published beside the variables.',
  },
  n: {
    title: 'Rows',
    text: 'How many rows of data the model has absorbed so far.',
  },
  band: {
    title: '50 % and 95 % bands',
    text: 'The value lies in the dark band with probability one half and in the light band with probability 95 %, given the model and the data. The line is the median.',
  },
  meanSd: {
    title: 'Mean ± sd',
    text: 'Centre and spread of the posterior. About two sd to each side hold 95 % when it is bell-shaped. Only digits that the computation supports are shown.',
  },
  mcse: {
    title: 'MCSE',
    text: 'Monte Carlo standard error: how far the printed mean may be off because it was computed from finitely many draws. It says nothing about the data; it should be small against the sd.',
  },
  ess: {
    title: 'ESS',
    text: 'Effective sample size: how many independent draws the draws are worth. Bulk is about the centre, tail about the 5 % and 95 % quantiles. Below 100 the quantiles are shaky.',
  },
  rHat: {
    title: 'R-hat',
    text: 'Compares chains of draws with each other. Close to 1 they agree; above 1.05 they do not yet describe the same distribution and the numbers should not be trusted.',
  },
  coverage: {
    title: 'Coverage',
    text: 'Before a shard is absorbed its rows are predicted. Coverage is the share of rows that fell inside their 95 % prediction interval. An honest model comes near 95 %; lower means it is too sure of itself, higher that it is too cautious.',
  },
  coverageBand: {
    title: 'Monte Carlo band of coverage',
    text: 'With few rows the share strays from 95 % by chance. Inside the band it may be chance, outside it hardly is: of honest models, 99 in 100 lie inside.',
  },
  pit: {
    title: 'PIT',
    text: 'Probability integral transform: where each value fell in its predicted distribution, from 0 (below all of it) to 1 (above). Of an honest model the histogram is flat; a U shape means predictions too narrow, a hump too wide, a slope a bias.',
  },
  logDensity: {
    title: 'Log density',
    text: 'Logarithm of the density that the model gave to what then happened, a mean per row. Higher is better; compare models on the same data only.',
  },
  rmse: {
    title: 'RMSE',
    text: 'Root mean square of the prediction errors, in units of the response.',
  },
  prior: {
    title: 'Prior',
    text: 'What the model assumes about a number before it sees data. Where the posterior is hardly narrower than the prior, the data have not said much.',
  },
  age: {
    title: 'Age',
    text: 'How long ago the newest absorbed record was written.',
  },
  lag: {
    title: 'Lag',
    text: 'Records in the input topic that are not covered by a checkpoint yet. It should hover near 0 or shrink.',
  },
  rate: {
    title: 'Rows per second',
    text: 'Rows absorbed by this process, a mean over the last ten seconds.',
  },
  deadLetters: {
    title: 'Dead letters',
    text: 'Records that could not be applied. They are kept, byte for byte, in a topic of their own with the reason, and can be replayed after the cause is mended.',
  },
  checkpoint: {
    title: 'Checkpoint',
    text: 'The stored state of the models together with the offset it covers. After a crash work goes on from the last one, so nothing is lost or counted twice.',
  },
  watermark: {
    title: 'Watermark',
    text: 'The offset of the next record of a partition to apply: all before it are absorbed and stored.',
  },
  partition: {
    title: 'Partition',
    text: 'A part of the Kafka topic. Exactly one process at a time works on it and writes its models.',
  },
  owner: {
    title: 'Owner',
    text: 'The process that claimed the partition last. A new claim shuts out the old owner (fencing), so two can never write the same state.',
  },
  phase: {
    title: 'Phase',
    text: 'Running: absorbing. Starting: loading state. Waiting: for Kafka or the store. Halted: needs you. Elsewhere: another process has it. Unclaimed: nobody had it yet.',
  },
  flags: {
    title: 'Flags',
    text: 'Marks of models to look at: weak R-hat, low ESS, poor calibration, a posterior still close to its prior, or a warning of the model itself.',
  },
  weak_r_hat: { title: 'Weak R-hat', text: 'R-hat was above 1.05 in two shards running: the chains of draws disagree. Wait for more data, or give the model more draws or a longer window.' },
  low_ess: { title: 'Low ESS', text: 'The draws are worth fewer than 100 independent ones: quantiles are shaky. Raise “draws” in the configuration.' },
  poor_calibration: { title: 'Poor calibration', text: 'Fewer rows are inside their 95 % prediction interval than chance explains: predictions are too sure. Look at the PIT histogram of the key.' },
  prior_dominated: { title: 'Prior dominated', text: 'The posterior’s sd is above 0.8 of the prior’s, so that the data have said little about this number so far; or the prior moves it by a good part of its sd. Set settings.prior to what is known, or wait for more rows.' },
  model: { title: 'Model warning', text: 'The model itself warns; the page of the key has its words.' },
} satisfies Record<string, Term>

export type TermName = keyof typeof terms
