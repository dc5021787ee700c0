// Plants one mutant while sources are loaded: `node --import ./simulation/plant.mjs …`.
import { register } from 'node:module'

const hook = `
export const initialize = (given) => { Object.assign(globalThis, { planted: given }) }
export const load = async (url, context, next) => {
  const loaded = await next(url, context)
  const { file, from, to, at } = globalThis.planted
  if (!url.split('?')[0].endsWith('/' + file)) return loaded
  const source = String(loaded.source)
  const begin = at ?? source.indexOf(from)
  if (!source.startsWith(from, begin)) throw new Error('nothing to replace in ' + file)
  return { ...loaded, source: source.slice(0, begin) + to + source.slice(begin + from.length) }
}`

register(`data:text/javascript,${encodeURIComponent(hook)}`, {
  data: JSON.parse(process.env.DAYBOOK_MUTANT ?? '{}'),
})
