import { joined, type ReadAsset } from '../assets.ts'
import type { RawReply } from '../route.ts'

/** The files that pages of the documentation load; those of the viewer come from its package. */
const files: Readonly<
  Record<string, { readonly type: string; readonly paths: readonly string[] }>
> = {
  'docs.css': { type: 'text/css', paths: ['http/docs/docs.css'] },
  'docs.js': { type: 'text/javascript', paths: ['http/docs/docs.js'] },
  'reference.css': { type: 'text/css', paths: ['http/docs/reference.css'] },
  'reference.js': { type: 'text/javascript', paths: ['http/docs/reference.js'] },
  'daybook-client.mjs': { type: 'text/javascript', paths: ['client/index.js'] },
  'viewer.css': { type: 'text/css', paths: ['swagger-ui-dist/swagger-ui.css'] },
  'viewer.js': { type: 'text/javascript', paths: ['swagger-ui-dist/swagger-ui-bundle.js'] },
}

export const assetTypes = ['text/css', 'text/javascript'] as const

const compressed = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Answers the files by name; each is read and compressed when somebody first asks for it. */
export const makeAssets = (readAsset: ReadAsset) => {
  const kept = new Map<
    string,
    Promise<{ plain: Uint8Array<ArrayBuffer>; gzip: Uint8Array<ArrayBuffer> }>
  >()

  const read = async (paths: readonly string[]) => {
    const plain = joined(readAsset, paths)
    return { plain, gzip: await compressed(plain) }
  }

  return async (name: string, acceptEncoding: string): Promise<RawReply | undefined> => {
    const file = Object.hasOwn(files, name) ? files[name] : undefined
    if (file === undefined) return undefined
    const { type, paths } = file
    const reading = kept.get(name) ?? read(paths)
    kept.set(name, reading)
    const { plain, gzip } = await reading
    const isZipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/.test(acceptEncoding)
    return {
      type: `${type}; charset=utf-8`,
      body: isZipped ? gzip : plain,
      headers: {
        ...(isZipped && { 'Content-Encoding': 'gzip' }),
        Vary: 'Accept-Encoding',
        'Cache-Control': 'public, max-age=3600',
        'X-Content-Type-Options': 'nosniff',
      },
    }
  }
}
