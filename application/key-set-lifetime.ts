import type { Seconds } from '../domain/time.ts'

/**
 * How long clients may cache the keys of ID tokens; new keys are published that long before use.
 */
export const keySetLifetime: Seconds = 300
