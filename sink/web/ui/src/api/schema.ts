// Generated from openapi.yaml by `npm run types`; do not edit.

export interface paths {
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process answers */
        get: operations["live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process works, and what keeps it from it */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics in the text format of Prometheus */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The kinds of models that a configuration can name */
        get: operations["listKinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Keys in byte order, with their newest posterior in short
         * @description A page of keys of all partitions. `next` is the value of `after` that gives the page after it,
         *     null at the end. A page may be short, or empty, and have a `next`: one request looks at
         *     50,000 keys at most. With `fields=key` only keys come and a page may have 10,000; otherwise it
         *     has at most 500, and of each posterior at most the first 64 variables. Of keys that this process
         *     has seen change it is the newest one published, of others the stored one.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        /** The posterior after the last shard that a checkpoint covers */
        get: operations["getModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{key}/about": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        /** How the posterior was computed, what it takes to predict, and the prior */
        get: operations["aboutModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{key}/history": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        /** Posteriors of past shards that this process has seen, oldest first */
        get: operations["modelHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{key}/calibration": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        /** How well each shard was predicted before it was absorbed */
        get: operations["modelCalibration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{key}/observed": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        /**
         * The newest rows beside what was predicted of them
         * @description Of published shards, the first 16 of a key, every fourth up to the 32nd and then every 32nd, and where they come a second apart all of the first 32 and then every fourth, the first
         *     8 rows with a response, as the state before the shard predicted them; of the newest 32 such shards of a key that `http.history` has room for. Arrow has the columns of a row.
         */
        get: operations["observed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{key}/contrast": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        /**
         * The law of a combination of variables, as of the last checkpoint
         * @description What `publish.quantities` says of the same `of`, without configuring it: a linear form of variables with
         *     numbers, or `exp`, `log`, `sqrt` of one, times and plus numbers, at most 1,000 bytes and 64 variables.
         *     `level[A]-level[B]` is a difference; a name with other characters than letters, digits, `_` and `.` before its
         *     brackets goes between backticks. Numbers of closed forms have the bits of the published ones; a kind that draws answers
         *     from draws of its state, and what it cannot combine is 422 `unfit`. An expression that cannot be read
         *     is 422 `bad_expression` and names the column. It takes its turn as predictions do, and counts against
         *     `http.rate` as they do.
         */
        get: operations["contrast"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{key}/predict": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Predictions of new rows, or of the next steps in time
         * @description Rows bind by name as those of a shard do; a response column is not needed. A missing or null
         *     feature is an error here, not a dropped row. A level that the model does not know is refused
         *     unless the configuration says `other: level`; an unseen group gets the population's
         *     distribution. A value whose prediction is beyond the range of float64 is refused, `not_finite`. A kind that is `ordered`, such as dlm, takes `horizon` instead of rows. What does not
         *     fit the model is 422 and names row (from 0), column and what is allowed; more than 100,000 rows or
         *     `limits.record` bytes are 413, a body that does not arrive within 30 s is 408. The numbers are those of
         *     `publish.predictions`; Arrow has its columns.
         */
        post: operations["predict"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model": {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** As /v1/models/{key} */
        get: operations["getModelAsked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model/about": {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** As /v1/models/{key}/about */
        get: operations["aboutModelAsked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model/history": {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** As /v1/models/{key}/history */
        get: operations["modelHistoryAsked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model/calibration": {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** As /v1/models/{key}/calibration */
        get: operations["modelCalibrationAsked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model/observed": {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** As /v1/models/{key}/observed */
        get: operations["observedAsked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model/contrast": {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** As /v1/models/{key}/contrast */
        get: operations["contrastAsked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model/predict": {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** As /v1/models/{key}/predict */
        post: operations["predictAsked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/calibration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Calibration across keys */
        get: operations["calibration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Server-sent events
         * @description `updates`: a JSON array of points, oldest first, each after the checkpoint that covers it.
         *     `deleted`: `{"key"}`. `reset`: what came since `Last-Event-ID` is not kept any more, or
         *     what the token may see has changed and the stream ends: read anew. `position`: nothing but
         *     the id, at the beginning of a stream that goes on from none and every 15 seconds in which nothing comes.
         *     Every message has an id; a client that comes back with it as `Last-Event-ID` (or `since`)
         *     misses nothing and gets nothing twice.
         */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Partitions, their owners and lag, and what happened to them */
        get: operations["operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest dead letters with their reasons, newest first */
        get: operations["deadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Key: string;
        /** @description The name of one of /v1/kinds */
        Kind: string;
        KindInfo: {
            name: components["schemas"]["Kind"];
            /** @description In a few words */
            purpose: string;
            /** @description Of the likelihood */
            formula: string;
            /** @description A sentence or two about parameters and posterior */
            text: string;
            /** @description The first is the default */
            variants: string[];
            /**
             * @description Any number; 0 or 1; 0, 1, 2 and so on
             * @enum {string}
             */
            response: "real" | "binary" | "count";
            /** @description Takes columns.features */
            features: boolean;
            /** @description Has a coefficient for the intercept */
            intercept: boolean;
            /**
             * @description Grouping columns: none, exactly one, any number with slopes
             * @enum {string}
             */
            groups: "none" | "one" | "any";
            /** @description Takes columns.exposure */
            exposure: boolean;
            /** @description Takes columns.time */
            time: boolean;
            /** @description Each row is a step in time: predictions are forecasts, asked for with `horizon` */
            ordered: boolean;
            /** @description The summary needs draws */
            draws: boolean;
        };
        KindList: {
            /** @description In the order of the documentation */
            kinds: components["schemas"]["KindInfo"][];
        };
        /**
         * @description weak_r_hat: an R-hat above 1.05 in two shards running. low_ess: a bulk or tail ESS below 100.
         *     poor_calibration: fewer rows than chance explains, and less than 94 %, are inside their 95 % interval.
         *     prior_dominated: a posterior sd above .8 of the prior's, or a parameter that depends on its prior. model: the model's own warnings, in the posterior's `flags`.
         * @enum {string}
         */
        Flag: "weak_r_hat" | "low_ess" | "poor_calibration" | "prior_dominated" | "model";
        Number: number | null;
        Health: {
            /** @enum {string} */
            status: "live" | "ready" | "not ready";
            reasons?: string[];
        };
        Error: {
            error: {
                code: string;
                message: string;
            };
        };
        Source: {
            topic: string;
            partition: number;
            offset: number;
        };
        /** @description Of the shard, by the state before it */
        Score: {
            rows: number;
            predicted_rows: number;
            log_density: components["schemas"]["Number"];
            log_evidence: components["schemas"]["Number"];
            rmse: components["schemas"]["Number"];
            coverage95: components["schemas"]["Number"];
        };
        Row: {
            variable: string;
            mean: components["schemas"]["Number"];
            sd: components["schemas"]["Number"];
            median: components["schemas"]["Number"];
            "q2.5": components["schemas"]["Number"];
            q5: components["schemas"]["Number"];
            q25: components["schemas"]["Number"];
            q75: components["schemas"]["Number"];
            q95: components["schemas"]["Number"];
            "q97.5": components["schemas"]["Number"];
            mcse_mean: components["schemas"]["Number"];
            ess_bulk: components["schemas"]["Number"];
            ess_tail: components["schemas"]["Number"];
            r_hat: components["schemas"]["Number"];
        };
        /** @description Columns that are centred or scaled, by name */
        Scaling: {
            [key: string]: {
                center: components["schemas"]["Number"];
                scale: components["schemas"]["Number"];
            };
        };
        Posterior: {
            key: components["schemas"]["Key"];
            kind: components["schemas"]["Kind"];
            variant: string;
            /** @description Shards absorbed; 0 where rows wait for the first, then the offset of source is -1 */
            t: number;
            /** @description Rows absorbed */
            n: number;
            draws: number;
            /** @description First 16 hex digits of the configuration's fingerprint */
            config: string;
            source: components["schemas"]["Source"];
            /**
             * Format: date-time
             * @description Of the input record
             */
            time: string;
            n_eff: components["schemas"]["Number"];
            scaling: components["schemas"]["Scaling"];
            prior_dominated: string[];
            weak_mixing?: string[];
            flags?: string[];
            /** @description Of publish.quantities, in its order; each that is not absent has one of the first rows of `posterior`. Absent where none is configured. */
            quantities?: {
                name: string;
                /** @enum {string} */
                kind: "form" | "probability" | "prediction" | "quantile";
                /** @description Why there is no row of it */
                absent?: string;
            }[];
            /** @description Alerts that are raised. Absent where none is. */
            alerts?: string[];
            /** @description Rows beyond the 1e-6 tails of their predictions, so far. Absent where there is none. */
            outliers?: {
                rows: number;
                /** @description The last shard that has one */
                t: number;
                /** @description The offset of that shard's record */
                offset: number;
            };
            /** @description Rows that were left out so far, each counted once, for the first column that it lacks. Absent where there are none. */
            dropped?: {
                column: string;
                /** @enum {string} */
                reason: "missing" | "unlisted" | "undefined";
                rows: number;
            }[];
            /** @description Rows of the key that wait until they are a shard, see input.coalesce. Absent where none does, and in what is published. */
            waiting?: {
                rows: number;
                /** @description That brought them */
                records: number;
                /** @description Of their values and labels */
                bytes: number;
                /** @description Of the first of these records */
                offset: number;
                /**
                 * Format: date-time
                 * @description Of that record
                 */
                time: string;
            };
            score: components["schemas"]["Score"];
            posterior: components["schemas"]["Row"][];
            covariance?: components["schemas"]["Number"][];
            omitted?: number;
            gaps?: number;
        };
        /** @description A posterior as history and events have it. At most the first 64 variables are kept. */
        Point: {
            key: components["schemas"]["Key"];
            kind: components["schemas"]["Kind"];
            t: number;
            n: number;
            n_eff: components["schemas"]["Number"];
            partition: number;
            offset: number;
            /** Format: date-time */
            time: string;
            score: components["schemas"]["Score"];
            flags: components["schemas"]["Flag"][];
            /** @description How many variables the posterior has */
            variables: number;
            posterior: components["schemas"]["Row"][];
        };
        /** @description With fields=key the key alone */
        ModelEntry: {
            key: components["schemas"]["Key"];
            kind?: components["schemas"]["Kind"];
            variant?: string;
            partition?: number;
            owned?: boolean;
            t?: number;
            n?: number;
            offset?: number;
            /** Format: date-time */
            time?: string;
            /** @description Of all rows scored since this process started */
            coverage95?: components["schemas"]["Number"];
            scored_rows?: number;
            flags?: components["schemas"]["Flag"][];
            posterior?: components["schemas"]["Row"][];
            /** @description The stored state can't be read, or no float64 holds its posterior; other fields are missing */
            damaged?: boolean;
        };
        ModelList: {
            models: components["schemas"]["ModelEntry"][];
            next: string | null;
            /** @description Keys in the store without any filter */
            total: number;
        };
        Input: {
            name: string;
            /** @enum {string} */
            role: "feature" | "group" | "slope" | "exposure" | "time" | "response";
            /** @description As the configuration says. Absent where it says none */
            unit?: string;
            /** @description Numbers are seconds since 1970, which a row may write as a time. Absent where not */
            moment?: boolean;
            /** @enum {string} */
            type: "number" | "category";
            /** @description Of a category; of a group the first 1000 known */
            levels?: string[];
            baseline?: string;
            /**
             * @description What becomes of another level
             * @enum {string}
             */
            other?: "level" | "drop" | "reject";
            center?: number;
            scale?: number;
        };
        About: {
            key: components["schemas"]["Key"];
            kind: components["schemas"]["Kind"];
            variant: string;
            /** @description The glob of the configuration's entry */
            match: string;
            config: string;
            source: components["schemas"]["Source"];
            /** Format: date-time */
            time: string;
            t: number;
            n: number;
            /** @description As in the configuration */
            settings: Record<string, never>;
            forget: number;
            forget_per: string;
            /** @description When rows of the key that wait are a shard, see input.coalesce. Absent where none waits. */
            coalesce?: {
                /** @description With the record that brings them to so many; 10,000 where no number is configured */
                rows: number;
                /** @description With a record that came so long after the first of them. Absent where the time does not matter */
                seconds?: number;
            };
            inputs: components["schemas"]["Input"][];
            /** @description The posterior's variables before the first row, in the same units */
            prior: components["schemas"]["Row"][];
            state_bytes: number;
            owned: boolean;
            /** @description Shell commands that show the same: get, tail, verify */
            commands: {
                [key: string]: string;
            };
        };
        History: {
            key: components["schemas"]["Key"];
            owned: boolean;
            /** @description Whether it reaches back to the first shard */
            complete: boolean;
            /** @description Present where points of the key were dropped because those of all keys do not fit in `http.history` */
            dropped?: {
                /** @description That are remembered now */
                keys: number;
                /** @description The http.history that would hold the last ten points of each */
                history_bytes: number;
            };
            points: components["schemas"]["Point"][];
        };
        Coverage: {
            nominal: number;
            /** @description Of the rows whose value lay in the central interval */
            share: number;
            /** @description Monte Carlo band: of a calibrated model 99 % of such shares lie between low and high */
            low: number;
            high: number;
        };
        Calibration: {
            key?: components["schemas"]["Key"];
            owned?: boolean;
            /** @description Rows scored since this process started */
            rows: number;
            shards: number;
            /** @description Counts of the probability integral transforms in 40 equal bins of [0, 1] */
            pit: number[];
            /** @description At .5, .8, .9 and .95; empty before the first row */
            coverage: components["schemas"]["Coverage"][];
            /** @description Mean over rows */
            log_density: components["schemas"]["Number"];
            rmse: components["schemas"]["Number"];
            /** @description Oldest first, of a key, where asked for */
            windows?: components["schemas"]["CalibrationWindow"][];
        };
        CalibrationWindow: {
            /** @description The first shard */
            from: number;
            /** @description The last shard */
            to: number;
            /** Format: date-time */
            from_time: string;
            /** Format: date-time */
            to_time: string;
            rows: number;
            shards: number;
            pit: number[];
            coverage: components["schemas"]["Coverage"][];
            log_density: components["schemas"]["Number"];
            rmse: components["schemas"]["Number"];
        };
        CalibrationAcross: {
            /** @description Keys with a scored row */
            keys: number;
            all: components["schemas"]["Calibration"];
            kinds: {
                [key: string]: components["schemas"]["Calibration"];
            };
        };
        PredictRequest: components["schemas"]["PredictRows"] | components["schemas"]["PredictSteps"];
        PredictRows: {
            rows: {
                [key: string]: number | string | boolean | null;
            }[];
        };
        /** @description Of a kind that is `ordered` */
        PredictSteps: {
            horizon: number;
        };
        ObservedRows: {
            key: string;
            /** @description Whether this process works on the key's partition; others have no rows */
            owned: boolean;
            rows: components["schemas"]["ObservedRow"][];
        };
        ObservedRow: {
            /** @description The shard */
            t: number;
            offset: number;
            /** Format: date-time */
            time: string;
            /** @description In the shard, from 0 */
            row: number;
            observed: components["schemas"]["Number"];
            mean: components["schemas"]["Number"];
            "q2.5": components["schemas"]["Number"];
            q10: components["schemas"]["Number"];
            q25: components["schemas"]["Number"];
            q75: components["schemas"]["Number"];
            q90: components["schemas"]["Number"];
            "q97.5": components["schemas"]["Number"];
            pit: components["schemas"]["Number"];
            /** @description Beyond the 1e-6 tails of the prediction */
            outlier: boolean;
            /** @description What the row had beside its response, by name, null where it is missing. Absent of models with more than 12 inputs, and in Arrow */
            inputs?: {
                [key: string]: number | string | null;
            };
        };
        Contrast: {
            key: string;
            /** @description Shards absorbed */
            t: number;
            /** @description Rows absorbed */
            n: number;
            /** @description `variable` is the expression */
            law: components["schemas"]["Row"];
            /** @description The probability that it is above 0, null where it has one sign whatever the variables are or where the kind does not know it */
            above_zero: components["schemas"]["Number"];
            /** @description Monte Carlo standard error of that probability, 0 where it has none */
            mcse_above_zero: components["schemas"]["Number"];
        };
        Predictions: {
            key: components["schemas"]["Key"];
            t: number;
            n: number;
            predictions: {
                /** @description From 0; steps ahead from 1 with horizon */
                row: number;
                mean: components["schemas"]["Number"];
                sd: components["schemas"]["Number"];
                "q2.5": components["schemas"]["Number"];
                "q97.5": components["schemas"]["Number"];
                epred_sd: components["schemas"]["Number"];
                "epred_q2.5": components["schemas"]["Number"];
                "epred_q97.5": components["schemas"]["Number"];
            }[];
        };
        PartitionState: {
            partition: number;
            /** @description This process works on it */
            owned: boolean;
            /** @enum {string} */
            phase: "running" | "starting" | "waiting" | "halted" | "elsewhere" | "unclaimed";
            /** @description Of a halt */
            reason?: string;
            /** @description What it waits for or what to do */
            why?: string;
            /** @description Token of the last claim, shortened; empty: never claimed */
            owner: string;
            generation: number;
            keys: number;
            /** @description Next offset to apply */
            watermark: number;
            /** @description Of the log; null while Kafka does not answer */
            end: number | null;
            lag: number | null;
            /** @description Seconds since this process saved a checkpoint of it */
            checkpoint_age: components["schemas"]["Number"];
        };
        OperationEvent: {
            /** Format: date-time */
            time: string;
            /** @enum {string} */
            kind: "claimed" | "released" | "fenced" | "rolled back" | "halted" | "resumed" | "waiting";
            partition: number | null;
            message: string;
        };
        Operations: {
            ready: boolean;
            reasons: string[];
            version: string;
            /** Format: date-time */
            started: string;
            input: string;
            output: string;
            group: string;
            totals: {
                /** @description In the store; null while it does not answer */
                keys: number | null;
                /** @description Absorbed by this process over the last 10 seconds */
                rows_per_second: number;
                shards_per_second: number;
                lag: number | null;
                /** @description By this process since it started */
                dead_letters: number;
                cache_bytes: number;
                inflight_bytes: number;
            };
            partitions: components["schemas"]["PartitionState"][];
            /** @description Newest first, at most 200 */
            events: components["schemas"]["OperationEvent"][];
            /** @description Shell commands with the path of the program that runs: check, demo, replay */
            commands: {
                [key: string]: string;
            };
        };
        DeadLetters: {
            topic: string;
            letters: {
                /** @description Of the dead letter topic */
                partition: number;
                offset: number;
                /** Format: date-time */
                time: string;
                /** @description Not UTF-8: with replacement characters */
                key: string | null;
                stage: string;
                reason: string;
                source: components["schemas"]["Source"];
                bytes: number;
            }[];
            /** @description list and replay */
            commands: {
                [key: string]: string;
            };
        };
    };
    responses: {
        /** @description What was wrong and what to do */
        Error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description The key of the model, percent-encoded */
        Key: components["schemas"]["Key"];
        /** @description The key of the model */
        KeyAsked: components["schemas"]["Key"];
        /** @description Globs of the variables wanted, by comma; `*` stops at `/`, `**` does not. A variable whose name has a comma is asked for with `*` in its place */
        Variables: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It works */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description It does not */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listKinds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KindList"];
                };
            };
            /** @description As the ETag given */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    listModels: {
        parameters: {
            query?: {
                /** @description Keys that start with this text */
                prefix?: string;
                /** @description Keys that have this text in them, ASCII letters of either case */
                contains?: string;
                /** @description Just these keys, in the order given, if they pass the other filters; those without a model are left out. `limit` does not bound them */
                key?: components["schemas"]["Key"][];
                kind?: components["schemas"]["Kind"];
                /** @description Keys with this flag; only keys of owned partitions that changed since the start have flags. With `from` or `to` those that had it after a shard between */
                flag?: components["schemas"]["Flag"];
                /** @description Keys with a record from this time on, of the shards that the history has */
                from?: string | unknown | unknown;
                /** @description Keys with a record up to this time, of the same shards */
                to?: string | unknown | unknown;
                /**
                 * @description Not in byte order but the greatest first, of keys of owned partitions that changed since the start; one page,
                 *     without `after`. effect: the mean of the first variable asked for that is no intercept; effect_asc: the least
                 *     first. certainty: that mean by its sd, either sign. flags: how many. newest: the time of the newest record. rows: absorbed.
                 */
                sort?: "effect" | "effect_asc" | "certainty" | "flags" | "newest" | "rows";
                /** @description Keys above this one in byte order */
                after?: string;
                limit?: number;
                fields?: "all" | "key";
                /** @description Globs of the variables wanted, by comma; `*` stops at `/`, `**` does not. A variable whose name has a comma is asked for with `*` in its place */
                variables?: components["parameters"]["Variables"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            /** @description As the ETag given */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    getModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the output topic has, all groups included */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Posterior"];
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            /** @description As the ETag given */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    aboutModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Configuration and inputs */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["About"];
                };
            };
            /** @description As the ETag given */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    modelHistory: {
        parameters: {
            query?: {
                /** @description The newest so many */
                limit?: number;
                /** @description Globs of the variables wanted, by comma; `*` stops at `/`, `**` does not. A variable whose name has a comma is asked for with `*` in its place */
                variables?: components["parameters"]["Variables"];
            };
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Points; none for keys of other processes (`owned` false) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    modelCalibration: {
        parameters: {
            query?: {
                /** @description Also in so many runs of consecutive shards, of those that the history has */
                windows?: number;
            };
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Probability integral transforms and coverage */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calibration"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    observed: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first, as of the last checkpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObservedRows"];
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    contrast: {
        parameters: {
            query: {
                of: string;
            };
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Of the present state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contrast"];
                };
            };
            /** @description `busy`: too many requests wait for a core. `unavailable`: the checkpoint store does not answer */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    predict: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key of the model, percent-encoded */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PredictRequest"];
                "application/vnd.apache.arrow.stream": string;
            };
        };
        responses: {
            /** @description One prediction per row, in their order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Predictions"];
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            /**
             * @description `busy`: too many predictions wait for a core, or hold the memory that there is for them. `unavailable`:
             *     the checkpoint store does not answer
             */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getModelAsked: {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the output topic has, all groups included */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Posterior"];
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            /** @description As the ETag given */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    aboutModelAsked: {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Configuration and inputs */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["About"];
                };
            };
            /** @description As the ETag given */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    modelHistoryAsked: {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
                /** @description The newest so many */
                limit?: number;
                /** @description Globs of the variables wanted, by comma; `*` stops at `/`, `**` does not. A variable whose name has a comma is asked for with `*` in its place */
                variables?: components["parameters"]["Variables"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Points; none for keys of other processes (`owned` false) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    modelCalibrationAsked: {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
                /** @description Also in so many runs of consecutive shards, of those that the history has */
                windows?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Probability integral transforms and coverage */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calibration"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    observedAsked: {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first, as of the last checkpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObservedRows"];
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    contrastAsked: {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
                of: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Of the present state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contrast"];
                };
            };
            /** @description `busy`: too many requests wait for a core. `unavailable`: the checkpoint store does not answer */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    predictAsked: {
        parameters: {
            query: {
                /** @description The key of the model */
                key: components["parameters"]["KeyAsked"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PredictRequest"];
                "application/vnd.apache.arrow.stream": string;
            };
        };
        responses: {
            /** @description One prediction per row, in their order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Predictions"];
                    "application/vnd.apache.arrow.stream": string;
                };
            };
            /**
             * @description `busy`: too many predictions wait for a core, or hold the memory that there is for them. `unavailable`:
             *     the checkpoint store does not answer
             */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    calibration: {
        parameters: {
            query?: {
                prefix?: string;
                kind?: components["schemas"]["Kind"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All keys of owned partitions together */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalibrationAcross"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    events: {
        parameters: {
            query?: {
                /** @description Glob on the key */
                key?: string;
                /** @description Least time between two messages in milliseconds; above 0 only the newest point of a key is sent, as far as the stream holds them: all streams hold 32 MiB of points together, and of more a key may come again sooner */
                every?: number;
                /** @description As Last-Event-ID */
                since?: string;
                /** @description Globs of the variables wanted, by comma; `*` stops at `/`, `**` does not. A variable whose name has a comma is asked for with `*` in its place */
                variables?: components["parameters"]["Variables"];
            };
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream that does not end */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Error"];
        };
    };
    operations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As of now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operations"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    deadLetters: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description From the dead letter topic */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetters"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Error"];
        };
    };
}
