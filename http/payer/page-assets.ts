import { route, type Route } from '../route.ts'
import { accountScript } from './account-script.ts'
import { accountStyle } from './account-style.ts'
import { iconRoute } from './page-icon.ts'
import { pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'

const asset = (path: string, type: string, body: string): Route =>
  route({
    method: 'GET',
    path,
    access: 'OPEN',
    group: 'Pages',
    summary: `What pages are made of: ${path.split('/').at(-1) ?? ''}`,
    success: 'raw',
    replyTypes: [type],
    handle: () => ({
      type: `${type}; charset=utf-8`,
      body,
      headers: { 'Cache-Control': 'public, max-age=3600', 'X-Content-Type-Options': 'nosniff' },
    }),
  })

export const pageAssetRoutes = (): Route[] => [
  asset('/payer/style.css', 'text/css', pageStyle + accountStyle),
  asset('/payer/live.js', 'text/javascript', pageScript + accountScript),
  iconRoute(),
]
