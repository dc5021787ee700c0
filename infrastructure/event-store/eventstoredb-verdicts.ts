import {
  AccessDeniedError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { status } from '@grpc/grpc-js'
import { noStream, StoreRefused, WrongExpectedRevision } from '../../application/event-store.ts'
import { exact } from './eventstoredb-calls.ts'

/** What a call does, for its error message. */
export type About = {
  readonly doing: 'reading' | 'appending to'
  readonly stream: string
  /** User in the connection string. */
  readonly user?: string | undefined
}

export const textOf = ({ doing, stream }: About): string => `${doing} ${stream}`

const revisionOf = (version: unknown): number =>
  typeof version === 'bigint' ? exact(version) : noStream

const rights = { reading: ['read', '$r'], 'appending to': ['write', '$w'] } as const

/** What was denied to whom, and what would grant it. */
const denial = (error: AccessDeniedError, about: About): string => {
  const { doing, stream, user } = about
  const [right, key] = rights[doing]
  const refused = `${textOf(about)} is denied`
  if (user === undefined)
    return `${refused}: name a user in the connection string that may ${right} it`
  if (error.code === status.UNAUTHENTICATED)
    return `${refused} to user ${user}: EventStoreDB does not know it, or its password is another`
  const place = stream === '$all' ? 'in the metadata of $all' : 'in the metadata of the stream'
  return `${refused} to user ${user}: grant it ${right} ${place} ($acl.${key})`
}

/** The client's error as an error of the port; undefined if a retry may help. */
export const verdict = (error: unknown, about: About): Error | undefined => {
  if (error instanceof WrongExpectedVersionError) {
    const { streamName, expectedVersion, actualVersion } = error
    const [expected, actual] = [revisionOf(expectedVersion), revisionOf(actualVersion)]
    return new WrongExpectedRevision(streamName, expected, actual)
  }
  if (error instanceof MaxAppendSizeExceededError) {
    const most = `the server takes no more than ${error.maxAppendSize} bytes`
    return new TypeError(`${textOf(about)}: ${most}`)
  }
  if (error instanceof AccessDeniedError)
    return new StoreRefused(denial(error, about), { cause: error })
  if (error instanceof StreamDeletedError || error instanceof RangeError) return error
  return undefined
}

/** Whether the server has decided about a call, so that a retry does not help. */
export const isDecided = (error: unknown): boolean =>
  verdict(error, { doing: 'appending to', stream: '' }) !== undefined

export const userIn = (connectionString: string): string | undefined => {
  const [, user] = /^[^/]*:\/\/([^:@/]*)(?::[^@/]*)?@/.exec(connectionString) ?? []
  return user === undefined || user === '' ? undefined : decodeURIComponent(user)
}
