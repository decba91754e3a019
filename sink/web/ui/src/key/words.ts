/** flagWords are the short names of flags. */
export const flagWords = {
  weak_r_hat: 'weak R-hat',
  low_ess: 'low ESS',
  poor_calibration: 'poor calibration',
  prior_dominated: 'prior dominated',
  model: 'model warning',
} as const
