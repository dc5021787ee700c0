import { createContext, Script } from 'node:vm'
import { status } from '@grpc/grpc-js'
import type streams from '@eventstore/db-client/generated/streams_pb.js'
import type { Row } from '../../infrastructure/event-store/sqlite-event-rows.ts'
import { failure } from './messages.ts'

type Filter = InstanceType<typeof streams.ReadReq.Options.FilterOptions>

/** Selects the rows of a page that the client's filter matches. @throws ProtocolFailure */
type Choose = (page: readonly Row[]) => readonly Row[]

const longestPattern = 1_000
const mostPrefixes = 1_000

/** Timeout of a pattern per call. */
const patience = { timeout: 30 }
/** Processor time per page: on a busy machine a good pattern may be delayed. */
const mostMicroseconds = 20_000

// The client's pattern is data, not code; the script only provides the timeout.
const context = createContext({ regex: /-/, texts: [] as string[] })
const testAll = new Script('texts.map((text) => regex.test(text))')

/**
 * Patterns that exclude literal prefixes run in linear time and need no timeout. A script with a
 * timeout costs as much as sending an event.
 */
const linear = /^\^\(\?!\\\$(?:\|\(\?:[\w\\.|]+\)\(\?:-\|\$\))?\)$/

const refuse = (what: string): never => {
  throw failure(status.INVALID_ARGUMENT, what)
}

const testWithin = (regex: RegExp, texts: readonly string[]): readonly boolean[] => {
  Object.assign(context, { regex, texts })
  const begun = process.cpuUsage()
  while (process.cpuUsage(begun).user < mostMicroseconds)
    try {
      return testAll.runInContext(context, patience)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    }
  return refuse('this pattern takes too long: give prefixes instead')
}

/**
 * Matches the stream name or event type by prefixes or by a pattern. @throws ProtocolFailure,
 * SyntaxError
 */
export const chooses = (filter: Filter | undefined): Choose => {
  const ofType = filter?.getEventType()
  const expression = ofType ?? filter?.getStreamIdentifier()
  if (!expression) return (page) => page
  const [prefixes, pattern] = [expression.getPrefixList(), expression.getRegex()]
  const textOf = ([, stream, , , type]: Row): string => (ofType ? type : stream)
  if (pattern === '') {
    if (prefixes.length > mostPrefixes) refuse(`give ${mostPrefixes} prefixes at most`)
    return (page) => page.filter((row) => prefixes.some((prefix) => textOf(row).startsWith(prefix)))
  }
  if (pattern.length > longestPattern) refuse(`a pattern has ${longestPattern} characters at most`)
  const regex = new RegExp(pattern)
  if (linear.test(pattern)) return (page) => page.filter((row) => regex.test(textOf(row)))
  return (page) => {
    const found = testWithin(regex, page.map(textOf))
    return page.filter((_, index) => found[index])
  }
}
