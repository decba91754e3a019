import type { Kind } from '../api/types.ts'

/** Kinds in a sentence or two each, as the model's page of the documentation has it. */
export const kinds: Record<Kind, { formula: string; text: string }> = {
  linear: {
    formula: 'y = x′β + e, e ~ N(0, σ²)',
    text: 'Gaussian regression: coefficients β with normal priors, noise σ² with an inverse gamma prior. The posterior has a closed form, so its numbers carry no Monte Carlo error.',
  },
  anova: {
    formula: 'y = ζ_group + e, ζ ~ N(μ, τ²)',
    text: 'Levels ζ of many groups with partial pooling: a group with few rows borrows from the others. τ² is the variance between groups, σ² the variance within them.',
  },
  dlm: {
    formula: 'y_s = θ_s + e_s, θ_s = φ θ_(s−1) + w_s',
    text: 'A level θ that wanders, seen with noise. σ² is the variance of the noise, τ² that of the level’s steps, and φ says how much of a deviation is left after one step.',
  },
  probit: {
    formula: 'P(y = 1) = Φ(x′β)',
    text: 'Regression of a yes or no: Φ is the normal distribution function. A coefficient of 1 moves a probability of 50 % to 84 % per unit of its column. Computed from draws of Markov chains.',
  },
  compressed: {
    formula: 'y = α + x′γ + e, e ~ N(0, σ²)',
    text: 'Regression on hundreds or thousands of columns from a sketch of the data whose size does not grow with their square. γ are the coefficients of the columns.',
  },
  poisson: {
    formula: 'y ~ Poisson(exposure · exp(x′β + z′u))',
    text: 'Regression of counts: the groups’ effects u vary with variance sigma2_u, which is learnt, so that groups with few rows borrow from the others.',
  },
}

/** flagWords are the short names of flags. */
export const flagWords = {
  weak_r_hat: 'weak R-hat',
  low_ess: 'low ESS',
  poor_calibration: 'poor calibration',
  prior_dominated: 'prior dominated',
  model: 'model warning',
} as const
