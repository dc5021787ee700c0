import { Server, ServerCredentials } from '@grpc/grpc-js'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { answerAppends } from './appends.ts'
import type { EventLog } from '../../../infrastructure/event-store/sqlite-event-log.ts'
import { answerFeatures, answerGossip } from '../../../audit/eventstoredb-server/cluster.ts'
import { answerReads, type ReadSettings } from '../../../audit/eventstoredb-server/reads.ts'

export type ProtocolSettings = Pick<ReadSettings, 'maximumLag' | 'isReady' | 'admit'> & {
  /** TCP port; 0 picks a free one. */
  readonly port?: number
  /**
   * The leadership term: appends of a call opened in an earlier term are refused, as by a former
   * leader.
   */
  readonly term?: () => number
}

type ProtocolServer = {
  readonly port: number
  /** Ends every call and stops listening; the log stays open. */
  stop(): void
}

// No authentication, so it must not be reachable from elsewhere.
const host = '127.0.0.1'

const maximumMessageSize = 17 * 1_024 * 1_024

/**
 * A node to read from and append to, for clients on this machine. @throws Error if the port is
 * taken
 */
export const serveEventStoreProtocol = (
  log: EventLog,
  settings: ProtocolSettings = {},
): Promise<ProtocolServer> => {
  const { port = 0, term = () => 0 } = settings
  const server = new Server({ 'grpc.max_receive_message_length': maximumMessageSize })
  server.addService(featuresService.ServerFeaturesService, answerFeatures)
  server.addService(
    gossipService.GossipService,
    answerGossip(() => port),
  )
  server.addService(streamsService.StreamsService, {
    read: answerReads(log, settings),
    ...answerAppends(log, term),
  })
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error)
      else resolve({ port: bound, stop: () => server.forceShutdown() })
    })
  })
}
