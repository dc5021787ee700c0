import { sign } from 'node:crypto'
import { readAsset } from '../infrastructure/assets.ts'
import type { Settings } from '../infrastructure/settings.ts'
import { version } from '../infrastructure/version.ts'

type Render = typeof import('./markdown.ts').renderMarkdown

/** How pages are rendered. The renderer is loaded with the first requested page. */
const documentation = {
  readAsset,
  renderMarkdown: async (...given: Parameters<Render>): ReturnType<Render> =>
    (await import('./markdown.ts')).renderMarkdown(...given),
  /** RSA-SHA256 in base64. */
  signExample: (pem: string, text: string): string =>
    sign('sha256', Buffer.from(text), pem).toString('base64'),
}

/** What is known about a service before it runs. */
export const aboutOf = (settings: Settings) => ({
  version,
  publicUrl: settings.PUBLIC_URL,
  isSandbox: settings.MODE === 'sandbox',
  isSecure: settings.MODE === 'production',
  /** Links in the footer of every page. */
  footer: { help: settings.HELP_URL, terms: settings.TERMS_URL, privacy: settings.PRIVACY_URL },
  ...documentation,
})
