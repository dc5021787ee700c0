/** SHA-256 in hex. */
type BlobHash = string

/** Stores files under the hash of their content. */
export type Blobs = {
  /** Stores it durably, all or nothing; repeats change nothing. @throws StoreUnavailable */
  put(content: Uint8Array): Promise<BlobHash>
  /** Undefined if there is none. @throws Error if it is damaged */
  get(hash: BlobHash): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** `sealedHash` is the hash of the stored, sealed content; absent if stored unsealed. */
type SealedBlob = { readonly hash: BlobHash; readonly sealedHash?: BlobHash | undefined }

/** Stores personal content sealed with the person's key. */
export type SealedBlobs = {
  /**
   * Both hashes, and `keep`, which stores it. @throws Refusal resource_is_unknown for an erased
   * person
   */
  seal(
    content: Uint8Array,
    person: string,
  ): Promise<Required<SealedBlob> & { readonly keep: () => Promise<unknown> }>
  /** Undefined once the person is erased. @throws Error when it is missing or damaged */
  get(blob: SealedBlob): Promise<Uint8Array<ArrayBuffer> | undefined>
}
