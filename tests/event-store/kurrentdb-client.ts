/** The successor of the adapter's client, under the names of the original. */
import { KurrentDBClient, type AppendToStreamOptions } from '@kurrent/kurrentdb-client'

export * from '@kurrent/kurrentdb-client'

type Options = Omit<AppendToStreamOptions, 'streamState'> & {
  /** The successor ignores this name, and appends unconditionally. */
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
