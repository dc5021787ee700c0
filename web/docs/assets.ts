import type { ReadAsset } from '../../http/assets.ts'
import type { RawReply } from '../../http/route.ts'

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

/** Answers the files by name; each is read when somebody first asks for it. */
export const makeAssets = (readAsset: ReadAsset) => {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()

  return (name: string): RawReply | undefined => {
    const path = Object.hasOwn(files, name) ? files[name] : undefined
    if (path === undefined) return undefined
    const body = kept.get(name) ?? readAsset(path)
    kept.set(name, body)
    return {
      type: `${name.endsWith('.css') ? 'text/css' : 'text/javascript'}; charset=utf-8`,
      body,
      headers: {
        'Cache-Control': 'public, max-age=3600',
        'X-Content-Type-Options': 'nosniff',
      },
    }
  }
}
