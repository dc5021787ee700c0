import { createContext, Script } from 'node:vm'
import { status } from '@grpc/grpc-js'
import type streams from '@eventstore/db-client/generated/streams_pb.js'
import type { Row } from '../event-store/sqlite-event-rows.ts'
import { failure } from './messages.ts'

type Filter = InstanceType<typeof streams.ReadReq.Options.FilterOptions>

/** The rows of a page that a client asked for. @throws ProtocolFailure */
type Choose = (page: readonly Row[]) => readonly Row[]

const longestPattern = 1_000
const mostPrefixes = 1_000

/** How long a pattern may hold this thread in one go. */
const patience = { timeout: 30 }
/** Time of the processor for one page: on a busy machine a good pattern may have to wait for it. */
const mostMicroseconds = 20_000

// Nothing of a client's is run as a program: only a script can be given a time in which to end.
const context = createContext({ regex: /-/, texts: [] as string[] })
const testAll = new Script('texts.map((text) => regex.test(text))')

/**
 * No name, or none of literal names, at the beginning: takes time in proportion to the text. A
 * script with a time limit costs as much as sending an event.
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
 * By prefixes or by a pattern, of the stream's name or of the event's type. @throws
 * ProtocolFailure, SyntaxError
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
