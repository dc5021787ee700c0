/** Converts event data from one schema version to the next. */
export type Upcast = (data: unknown) => unknown
