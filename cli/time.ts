import { fail } from '../infrastructure/failures.ts'

const pattern = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)Z?)?$/

/** A day or second in UTC. @throws for anything else, such as 30 February */
export const instantOf = (text: string): number => {
  const [, day = '', time = '00:00:00'] = pattern.exec(text) ?? []
  const at = Date.parse(`${day}T${time}Z`)
  const isReal = !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
  return isReal ? at : fail(`${text} is not a time as YYYY-MM-DD, or YYYY-MM-DD hh:mm:ss, in UTC`)
}

const hour = 3_600_000
export const hoursInMs = (hours: number): number => Math.round(hours * hour)

/** Hours of an overlap, up to a year. @throws OperatorError */
export const hoursOf = (text: string): number =>
  /^\d{1,4}(?:\.\d{1,3})?$/.test(text) && Number(text) <= 8_784
    ? Number(text)
    : fail(`${text} is not a number of hours from 0 to 8784`)
