/** SHA-256 of a content in hex. */
export type BlobHash = string

/** Where files are kept, under the hash of their content. */
export type Blobs = {
  /** Keeps a content durably, all of it or nothing; the same content again changes nothing. */
  put(content: Uint8Array): Promise<BlobHash>
  /** The content of that hash; undefined when there is none. @throws Error when it is no longer what it was. */
  get(hash: BlobHash): Promise<Uint8Array<ArrayBuffer> | undefined>
}
