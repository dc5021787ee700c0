/** A request before authentication. */
export type UnauthenticatedRequest = {
  readonly method: string
  /** As the client saw it, with its query. */
  readonly url: () => string
  readonly header: (name: string) => string | undefined
  readonly headers: () => Iterable<readonly [string, string]>
  readonly remoteAddress: string | undefined
  /** Undefined until received; the digest is then not checked. */
  readonly body: Uint8Array | undefined
}

/** A request whose body is complete. */
export type ReceivedRequest = UnauthenticatedRequest & { readonly body: Uint8Array }
