import type { Blobs } from '../../application/blobs.ts'
import { openBlobDirectory } from './blob-directory.ts'
import type { BucketSettings } from './blob-bucket.ts'

export const isBucket = (blobs: string): boolean => blobs.startsWith('s3://')

/** The configured blob store: a directory, or a bucket, whose client is loaded on demand. */
export const openBlobs = async (blobs: string, settings: BucketSettings): Promise<Blobs> => {
  if (!isBucket(blobs)) return openBlobDirectory(blobs)
  const { openBlobBucket } = await import('./blob-bucket.ts')
  return openBlobBucket(blobs, settings)
}
