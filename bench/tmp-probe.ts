import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLoad, startServer } from './processes.ts'
const directory = mkdtempSync(join(tmpdir(), 'probe-'))
const what = process.argv[2] ?? 'all'
const seconds = Number(process.argv[3] ?? 3)
const connections = Number(process.argv[4] ?? 64)
const data = join(directory, 'data')
const bare = await startServer('bare-app.ts', [join(directory, 'bare.sqlite')], {})
const service = await startServer('../dist/infrastructure/main.js', ['serve'], { DATA_DIR: data, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' })
const load = startLoad()
const adminKey = readFileSync(join(data, 'sandbox-admin-key.pem'), 'utf8')
const shop = ({ address, pid }: typeof bare) => ({ address, adminKey, pid: pid! })
let n = 0
const label = () => `${Date.now()}-${n++}`
const cpuOf = (pid: number) => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return (Number(f[11]) + Number(f[12])) * 10 }
const one = async (name: string, s: any, work: any) => {
  const c0 = cpuOf(s.pid)
  const { groups, cpu } = await load.load({ shop: s, warmUp: 0, seconds, groups: [{ work, connections }] })
  const g = groups[0]!
  const used = (cpuOf(s.pid) - c0) * 1000 / g.answers
  console.log(name, used.toFixed(0) + 'us', Math.round(g.perSecond), 'p50', g.p50.toFixed(2), 'p99', g.p99.toFixed(2), 'loadcpu', cpu.toFixed(2), g.unexpected, g.firstUnexpected ?? '')
  return g.perSecond
}
const tids = await load.authorize(shop(service), label(), Number(process.argv[6] ?? 4000))
const rounds = Number(process.argv[5] ?? 1)
for (let r = 0; r < rounds; r++) {
  let b = NaN
  if (what === 'all' || what.includes('bare')) b = await one('bare', shop(bare), { kind: 'capture', level: 'SECRET', label: label(), tids })
  if (what === 'all' || what.includes('capture')) console.log('  ratio', ((await one('capture', shop(service), { kind: 'capture', level: 'SECRET', label: label(), tids })) / b).toFixed(3))
  if (what === 'all' || what.includes('lifecycle')) console.log('  ratio', ((await one('lifecycle', shop(service), { kind: 'lifecycle', label: label() })) / b).toFixed(3))
  if (what.includes('outcome')) await one('outcome', shop(service), { kind: 'outcome', level: 'SECRET', tids })
  if (what.includes('beside')) {
    const { groups } = await load.load({ shop: shop(service), warmUp: 1, seconds, groups: [{ work: { kind: 'outcome', level: 'SECRET', tids }, connections: 32 }, { work: { kind: 'capture', level: 'SECRET', label: label(), tids }, connections: 32, pace: 1000 }] })
    for (const g of groups) console.log('beside', Math.round(g.perSecond), 'p50', g.p50.toFixed(2), 'p99', g.p99.toFixed(2), g.unexpected)
  }
}
await load.stop(); await service.stop(); await bare.stop()
rmSync(directory, { recursive: true, force: true })
