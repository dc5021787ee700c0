import { dayMs } from '../domain/time.ts'

/** The lines of Node that the tests run on, and the last day on which Node repairs each. */
export const nodeLines: Readonly<Record<string, string>> = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
}

const lineOf = (version: string): string => version.replace(/^v?(\d+).*$/, '$1')

/** The last day of support of a version such as `v22.14.0`; undefined for a line not listed. */
export const nodeEnd = (version: string): string | undefined => nodeLines[lineOf(version)]

/** A warning about a line of Node that has ended or is not listed; undefined for others. */
export const nodeWarning = (version: string, now: number): string | undefined => {
  const [line, end] = [lineOf(version), nodeEnd(version)]
  const [newest = ''] = Object.keys(nodeLines).reverse()
  if (end === undefined) return `Node ${line} is not tested with this version: run Node ${newest}`
  if (now < Date.parse(end) + dayMs) return undefined
  return `Node ${line} has ended on ${end} and gets no security fixes: move to Node ${newest}`
}
