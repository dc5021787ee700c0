/** Brings the data of one schema version of an event to the next. */
export type Upcast = (data: unknown) => unknown
