import type { ReadAsset } from '../../http/assets.ts'
import type { RawReply } from '../../http/route.ts'
import { aside } from '../../application/machine.ts'

/** The files that pages of the documentation load; those of the viewer come from its package. */
const files: Readonly<Record<string, string>> = {
  'docs.css': 'web/docs/docs.css',
  'docs.js': 'web/docs/docs.js',
  'reference.css': 'web/docs/reference.css',
  'reference.js': 'web/docs/reference.js',
  'daybook-client.mjs': 'client/index.js',
  'viewer.css': 'swagger-ui-dist/swagger-ui.css',
  'viewer.js': 'swagger-ui-dist/swagger-ui-bundle.js',
}

export const assetTypes = ['text/css', 'text/javascript'] as const

const compressed = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Answers the files by name; each is read and compressed when somebody first asks for it. */
export const makeAssets = (readAsset: ReadAsset) => {
  const read = async (path: string) => {
    const plain = readAsset(path)
    return { plain, gzip: await aside(() => compressed(plain)) }
  }
  const kept = new Map<string, ReturnType<typeof read>>()

  return async (name: string, acceptEncoding: string): Promise<RawReply | undefined> => {
    const path = Object.hasOwn(files, name) ? files[name] : undefined
    if (path === undefined) return undefined
    const reading = kept.get(name) ?? read(path)
    kept.set(name, reading)
    const { plain, gzip } = await reading
    const isZipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/.test(acceptEncoding)
    return {
      type: `${name.endsWith('.css') ? 'text/css' : 'text/javascript'}; charset=utf-8`,
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
