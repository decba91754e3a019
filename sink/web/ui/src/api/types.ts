import type { components, operations } from './schema.ts'

type Schemas = components['schemas']

export type Kind = Schemas['Kind']
export type KindInfo = Schemas['KindInfo']
export type KindList = Schemas['KindList']
export type Flag = Schemas['Flag']
/** Order is what a list of models is sorted by, other than by key. */
export type Order = NonNullable<NonNullable<operations['listModels']['parameters']['query']>['sort']>
export type Row = Schemas['Row']
export type Score = Schemas['Score']
export type Point = Schemas['Point']
export type Posterior = Schemas['Posterior']
export type ModelEntry = Schemas['ModelEntry']
export type ModelList = Schemas['ModelList']
export type About = Schemas['About']
export type Input = Schemas['Input']
export type History = Schemas['History']
export type Calibration = Schemas['Calibration']
export type CalibrationAcross = Schemas['CalibrationAcross']
export type Coverage = Schemas['Coverage']
export type PredictRequest = Schemas['PredictRequest']
export type PredictRows = Schemas['PredictRows']
export type Predictions = Schemas['Predictions']
export type Operations = Schemas['Operations']
export type PartitionState = Schemas['PartitionState']
export type OperationEvent = Schemas['OperationEvent']
export type DeadLetters = Schemas['DeadLetters']
export type Health = Schemas['Health']

export const flags: readonly Flag[] = ['weak_r_hat', 'low_ess', 'poor_calibration', 'prior_dominated', 'model']
