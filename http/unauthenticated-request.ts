/** A request of which nobody has checked yet who makes it. */
export type UnauthenticatedRequest = {
  readonly method: string
  /** As the client saw it, with its query. */
  readonly url: () => string
  readonly header: (name: string) => string | undefined
  readonly headers: () => Iterable<readonly [string, string]>
  readonly remoteAddress: string | undefined
  /** Undefined as long as it has not come: then its digest is not looked at. */
  readonly body: Uint8Array | undefined
}

/** A request that has come whole. */
export type ReceivedRequest = UnauthenticatedRequest & { readonly body: Uint8Array }
