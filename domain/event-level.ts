// Which builds can read which events. A build reads all kinds up to its level. A kind that an
// earlier release cannot read stands here, at the level of the release that brought it: it is
// written only once every process that is alive reads that level.

/** A new event type, or a new version of one: `PaymentCaptured@2`. */
const newKinds: Readonly<Record<string, number>> = {}

/** The highest level that this build reads; builds that name none read 0. */
export const eventLevel = Math.max(1, ...Object.values(newKinds))

/** Whether there are kinds that other builds may not read. */
export const hasNewKinds = eventLevel > 1

/** The level that reads an event of a version. */
export const levelOf = (type: string, schema: unknown): number =>
  newKinds[`${type}@${String(schema)}`] ?? 1
