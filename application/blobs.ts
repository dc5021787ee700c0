/** SHA-256 of a content in hex. */
type BlobHash = string

/** Where files are kept, under the hash of their content. */
export type Blobs = {
  /** Keeps a content durably, all of it or nothing; the same content again changes nothing. @throws StoreUnavailable */
  put(content: Uint8Array): Promise<BlobHash>
  /** The content of that hash; undefined when there is none. @throws Error when it is no longer what it was. */
  get(hash: BlobHash): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** A content by its own hash and, unless it is kept as it came, the hash of what it was sealed to. */
type SealedBlob = { readonly hash: BlobHash; readonly sealedHash?: BlobHash | undefined }

/** Where contents that tell of a person are kept: sealed with that person's key, and gone with it. */
export type SealedBlobs = {
  /**
   * A content as it will be kept, by the hashes of both; `keep` keeps it, as `Blobs.put` does.
   * @throws Refusal resource_is_unknown when the person has been erased
   */
  seal(
    content: Uint8Array,
    person: string,
  ): Promise<Required<SealedBlob> & { readonly keep: () => Promise<unknown> }>
  /** The content; undefined once the person has been erased. @throws Error when it is missing or damaged */
  get(blob: SealedBlob): Promise<Uint8Array<ArrayBuffer> | undefined>
}
