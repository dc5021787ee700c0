import { inflateSync } from 'node:zlib'
import { decode } from 'fast-png'
import {
  mostPixels,
  noPng,
  readPng,
  type PngChunk,
  type PngHeader,
} from '../../domain/merchant/attachment.ts'

/** The chunks needed for decoding. Other chunks may unpack to any size, so they are skipped. */
const needed: readonly string[] = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']

const signatureLength = 8

/** Length and type before the content of a chunk, a checksum after it. */
const [before, after] = [8, 4]

/** @throws Error if the pixels unpack to more than the header says */
const checkSize = (
  bytes: Uint8Array,
  chunks: readonly PngChunk[],
  { width, height, bitsPerPixel }: PngHeader,
): void => {
  const packed = chunks
    .filter(({ type }) => type === 'IDAT')
    .map(({ start, end }) => bytes.subarray(start + before, end - after))
  const rows = height * (Math.ceil((width * bitsPerPixel) / 8) + 1)
  // An interlaced picture has up to twice as many rows.
  inflateSync(Buffer.concat(packed), { maxOutputLength: 2 * rows + 64 })
}

/** What is wrong with the picture; null if nothing. */
export const problemOfPng = (bytes: Uint8Array): string | null => {
  const png = readPng(bytes)
  if (!png) return noPng
  const { header, chunks } = png
  if (header.width > mostPixels || header.height > mostPixels)
    return `Is larger than ${mostPixels} × ${mostPixels} pixels.`
  try {
    checkSize(bytes, chunks, header)
    const parts = chunks
      .filter(({ type }) => needed.includes(type))
      .map(({ start, end }) => bytes.subarray(start, end))
    decode(Buffer.concat([bytes.subarray(0, signatureLength), ...parts]))
    return null
  } catch {
    return noPng
  }
}

export const begin = () => problemOfPng
