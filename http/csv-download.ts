import type { RawReply } from './route.ts'

/** Without it Excel reads UTF-8 as something else. Programs get CSV without it. */
const byteOrderMark = new Uint8Array([0xef, 0xbb, 0xbf])

/** A CSV that a person downloads and opens in a spreadsheet. */
export const csvDownload = (
  filename: string,
  csv: ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
) =>
  ({
    type: 'text/csv; charset=utf-8',
    body: csv.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        start: (controller) => controller.enqueue(byteOrderMark),
      }),
    ),
    headers: { ...headers, 'Content-Disposition': `attachment; filename="${filename}"` },
  }) satisfies RawReply
