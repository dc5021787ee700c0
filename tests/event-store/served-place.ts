// A log served over TLS, and clients of it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials, Metadata } from '@grpc/grpc-js'
import { EventStoreDBClient } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { onTestFinished } from 'vitest'
import type { EventStore } from '../../application/event-store.ts'
import type { SecurityEvent } from '../../application/security-log.ts'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import { serveLog } from '../../audit/eventstoredb-server/serve-log.ts'
import { holdersIn, readTokens } from '../../audit/eventstoredb-server/tokens.ts'
import { makeCertificates } from '../process/certificates.ts'

export const token = 'a'.repeat(31)
const tokens = readTokens(`# who reads\nkim ${token}1\n\nlee ${token}2\n`)

export const allOf = async <One>(read: AsyncIterable<One>): Promise<One[]> => {
  const found: One[] = []
  for await (const one of read) found.push(one)
  return found
}

export const bearer = (of: string): Metadata => {
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${of}`)
  return metadata
}

/** A read of all events from the start. */
export const readOfAll = () => {
  const options = new streams.ReadReq.Options()
    .setAll(new streams.ReadReq.Options.AllOptions().setStart(new shared.Empty()))
    .setCount(`${Number.MAX_SAFE_INTEGER}`)
    .setNoFilter(new shared.Empty())
    .setUuidOption(new streams.ReadReq.Options.UUIDOption().setStructured(new shared.Empty()))
  return new streams.ReadReq().setOptions(options)
}

export const startServedPlace = () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-served-'))
  const { trusted, authority } = makeCertificates(folder)

  const serve = (
    store: EventStore & { readonly log: EventLog },
    record: (event: SecurityEvent) => void = () => {},
  ) => {
    const holderOf = holdersIn(tokens, store)
    const { log } = store
    return serveLog({ log, record, host: '127.0.0.1', port: 0, tls: trusted, holderOf })
  }

  const clientOf = (port: number, who = `kim:${token}1@`, scheme = 'esdb') => {
    const place = `${scheme}://${who}127.0.0.1:${port}`
    const client = EventStoreDBClient.connectionString(`${place}?tlsCAFile=${authority}`)
    onTestFinished(() => client.dispose())
    return client
  }

  /** A client for requests that the stock client cannot make. */
  const plainClient = (port: number) => {
    const ca = readFileSync(authority)
    const client = new streamsService.StreamsClient(`127.0.0.1:${port}`, credentials.createSsl(ca))
    onTestFinished(() => client.close())
    return client
  }

  const remove = (): void => rmSync(folder, { recursive: true })
  return { folder, authority, serve, clientOf, plainClient, remove }
}

type ServedPlace = ReturnType<typeof startServedPlace>
export type Served = Awaited<ReturnType<ServedPlace['serve']>>
