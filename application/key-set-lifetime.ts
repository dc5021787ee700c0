import type { Seconds } from '../domain/time.ts'

/** For so long clients may keep the keys of ID tokens: a new key is published as long before it signs anything. */
export const keySetLifetime: Seconds = 300
