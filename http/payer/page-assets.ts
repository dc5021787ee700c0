import { assetRoute, joined, type AssetNeeds } from '../assets.ts'
import type { Route } from '../route.ts'

const group = 'Pages'

export const pageAssetRoutes = ({ readAsset }: AssetNeeds): Route[] => {
  const style = joined(readAsset, ['http/payer/page.css', 'http/payer/account.css'])
  const script = joined(readAsset, ['http/payer/page.js', 'http/payer/account.js'])
  const icon = readAsset('http/payer/favicon.ico')
  const summary = (name: string) => `What pages are made of: ${name}`
  return [
    assetRoute({
      path: '/payer/style.css',
      type: 'text/css',
      group,
      summary: summary('style.css'),
      body: () => style,
    }),
    assetRoute({
      path: '/payer/live.js',
      type: 'text/javascript',
      group,
      summary: summary('live.js'),
      body: () => script,
    }),
    assetRoute({
      path: '/favicon.ico',
      type: 'image/x-icon',
      group,
      summary: 'The icon of the pages',
      maxAge: 86_400,
      body: () => icon,
    }),
  ]
}
