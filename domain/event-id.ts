/** Whether a UUID is of version 8 (RFC 9562, 5.8), which events have. */
const isTimed = (id: string): boolean => id.charAt(14) === '8'

/** The time that an event's id begins with, in ms since 1970; undefined for earlier ids. */
export const timeOfEventId = (id: string): number | undefined => {
  const time = isTimed(id) ? parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : NaN
  return Number.isNaN(time) ? undefined : time
}
