import { S3mini, S3ServiceError } from 's3mini'
import type { Blobs } from '../../application/blobs.ts'
import { StoreUnavailable } from '../../application/event-store.ts'
import { hashOf } from './blob-directory.ts'
import type { Settings } from '../settings.ts'

/** Timeout of requests to the bucket, in ms. */
const timeoutMs = 10_000

/** `s3://<bucket>`, with `/<prefix>` for part of it. */
const bucketIn = (address: string) => {
  const [bucket = '', ...folders] = address.replace(/^s3:/, '').split('/').filter(Boolean)
  return { bucket, prefix: folders.map((folder) => `${folder}/`).join('') }
}

export type BucketSettings = Pick<
  Settings,
  'S3_ENDPOINT' | 'S3_REGION' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY'
>

/** Treats failed requests as an unavailable store. @throws StoreUnavailable */
const failIn = (address: string) => (error: unknown) => {
  const refused = error instanceof S3ServiceError ? `answers ${error.status}` : 'does not answer'
  throw new StoreUnavailable(`the bucket ${address} ${refused}`, { cause: error })
}

/**
 * Blobs as objects in an S3-compatible store, in folders named by the first two digits of their
 * hash.
 */
export const openBlobBucket = (address: string, settings: BucketSettings): Blobs => {
  const { bucket, prefix } = bucketIn(address)
  const region = settings.S3_REGION
  const endpoint = settings.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`
  const store = new S3mini({
    endpoint: `${endpoint}/${bucket}`,
    region,
    accessKeyId: settings.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY ?? '',
    requestAbortTimeout: timeoutMs,
  })
  const keyOf = (hash: string): string => `${prefix}${hash.slice(0, 2)}/${hash}`
  const fail = failIn(address)

  return {
    put: async (content) => {
      const hash = hashOf(content)
      await store.putObject(keyOf(hash), content, 'application/octet-stream').catch(fail)
      return hash
    },
    get: async (hash) => {
      if (!/^[\da-f]{64}$/.test(hash)) return undefined
      const found = await store.getObjectArrayBuffer(keyOf(hash)).catch(fail)
      // A missing bucket also answers "not found".
      if (!found && !(await store.bucketExists().catch(fail)))
        throw new StoreUnavailable(`the bucket ${address} is not there`)
      if (!found) return undefined
      const content = new Uint8Array(found)
      if (hashOf(content) !== hash) throw new Error(`the blob ${hash} is damaged`)
      return content
    },
  }
}
