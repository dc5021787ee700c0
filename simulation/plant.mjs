// Puts planted sources in the place of others: `node --import ./simulation/plant.mjs …`.
import { register } from 'node:module'

const hook = `
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
let given
export const initialize = (data) => void (given = data)
export const load = async (url, context, next) => {
  const loaded = await next(url, context)
  const path = url.startsWith('file:') ? fileURLToPath(url.split('?')[0]) : ''
  const planted = given.folder + path.replace(given.root, '')
  const isPlanted = path.startsWith(given.root + '/') && existsSync(planted)
  return isPlanted ? { ...loaded, source: readFileSync(planted, 'utf8') } : loaded
}`

register(`data:text/javascript,${encodeURIComponent(hook)}`, {
  data: { root: process.cwd(), folder: process.env.DAYBOOK_PLANTED ?? '' },
})
