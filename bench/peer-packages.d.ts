/* What the bench uses of the packages that it installs by itself (peers.ts). */

declare module 'pg' {
  type Result<Row> = { readonly rows: readonly Row[]; readonly rowCount: number }
  export type Client = {
    query<Row = object>(text: string, values?: readonly unknown[]): Promise<Result<Row>>
    release(): void
  }
  const pg: {
    readonly Pool: new (options: { readonly connectionString: string }) => {
      readonly query: Client['query']
      connect(): Promise<Client>
      on(event: 'error', report: (error: unknown) => void): unknown
    }
  }
  export default pg
}

declare module '@event-driven-io/emmett' {
  type Options<State, Event> = {
    readonly evolve: (state: State, event: Event) => State
    readonly initialState: () => State
  }
  export const CommandHandler: <State, Event>(
    options: Options<State, Event>,
  ) => (
    store: unknown,
    stream: string,
    decide: (state: State) => Event | Event[],
  ) => Promise<{ readonly newEvents: readonly Event[] }>
}

declare module '@event-driven-io/emmett-postgresql' {
  export const getPostgreSQLEventStore: (connectionString: string) => {
    readonly schema: { migrate(): Promise<unknown> }
    aggregateStream<State, Event>(
      stream: string,
      options: {
        readonly evolve: (state: State, event: Event) => State
        readonly initialState: () => State
      },
    ): Promise<{ readonly state: State }>
  }
}
