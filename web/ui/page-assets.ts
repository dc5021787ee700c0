import { assetRoute, joined, type AssetNeeds } from '../../http/assets.ts'
import type { Route } from '../../http/route.ts'

const group = 'Pages'

export const pageAssetRoutes = ({ readAsset }: AssetNeeds): Route[] => {
  const style = joined(readAsset, ['web/payer/page.css', 'web/payer/account.css'])
  const script = joined(readAsset, ['web/payer/page.js', 'web/payer/account.js'])
  const icon = readAsset('web/payer/favicon.ico')
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
