import { sign } from 'node:crypto'
import { namesOf } from '../http/assets.ts'
import { phoneReader } from '../infrastructure/national-numbers.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { version } from '../infrastructure/version.ts'
import { existsSync, readFileSync } from 'node:fs'

/** The repository, or `dist`, where the build copies each asset to the same path. */
const root = new URL('../', import.meta.url)

/** The sources, the build's output, and packages. */
const places = ['', 'dist/', 'node_modules/']

/** Reads a file by its path in the repository, in the build or in a package. */
const readAsset = (path: string): Uint8Array<ArrayBuffer> => {
  const urls = places.map((place) => new URL(place + path, root))
  return new Uint8Array(readFileSync(urls.find((url) => existsSync(url)) ?? new URL(path, root)))
}

type Render = typeof import('./markdown.ts').renderMarkdown

export const namesIn = ({ HEADER_PREFIX, MEDIA_VENDOR }: Settings) =>
  namesOf({ headerPrefix: HEADER_PREFIX, mediaVendor: MEDIA_VENDOR })

export const aboutOf = (settings: Settings) => ({
  names: namesIn(settings),
  version,
  publicUrl: settings.PUBLIC_URL,
  isSandbox: settings.MODE === 'sandbox',
  isSecure: settings.MODE === 'production',
  twinUrl: settings.TWIN_URL,
  footer: {
    help: settings.HELP_URL,
    terms: settings.TERMS_URL,
    privacy: settings.PRIVACY_URL,
    sandbox: settings.MODE === 'sandbox' ? '/docs/sandbox' : undefined,
  },
  readPhone: phoneReader(settings.COUNTRY),
  readAsset,
  /** The renderer is loaded with the first requested page. */
  renderMarkdown: async (...document: Parameters<Render>): ReturnType<Render> =>
    (await import('./markdown.ts')).renderMarkdown(...document),
  /** RSA-SHA256 in base64. */
  signExample: (pem: string, text: string): string =>
    sign('sha256', Buffer.from(text), pem).toString('base64'),
})

export type About = ReturnType<typeof aboutOf>
