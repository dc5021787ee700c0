import { sign } from 'node:crypto'
import { readAsset } from './assets.ts'

type Render = typeof import('./markdown.ts').renderMarkdown

/** What pages are made with. The renderer is loaded with the first page that somebody asks for. */
export const documentation = {
  readAsset,
  renderMarkdown: async (...given: Parameters<Render>): ReturnType<Render> =>
    (await import('./markdown.ts')).renderMarkdown(...given),
  /** RSA-SHA256 in base64. */
  signExample: (pem: string, text: string): string =>
    sign('sha256', Buffer.from(text), pem).toString('base64'),
}
