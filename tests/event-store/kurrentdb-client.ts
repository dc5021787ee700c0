/** The successor of the client that the adapter is written for, under the names of that one. */
import { KurrentDBClient, type AppendToStreamOptions } from '@kurrent/kurrentdb-client'

export * from '@kurrent/kurrentdb-client'

type Options = Omit<AppendToStreamOptions, 'streamState'> & {
  /** Of this name the successor takes no notice, and appends whatever there is. */
  readonly expectedRevision?: AppendToStreamOptions['streamState']
}

export const EventStoreDBClient = {
  connectionString: (text: string) => {
    const client = KurrentDBClient.connectionString(text.replace(/^esdb/, 'kurrentdb'))
    const append = client.appendToStream.bind(client)
    return Object.assign(client, {
      appendToStream: (
        stream: string,
        events: Parameters<typeof append>[1],
        { expectedRevision, ...options }: Options,
      ) => append(stream, events, { ...options, streamState: expectedRevision ?? 'any' }),
    })
  },
}
