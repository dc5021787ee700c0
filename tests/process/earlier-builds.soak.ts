// @module-tag night
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../harness/in-process.ts'
import { endProcess, makeReleases, pidServing } from '../../harness/releases.ts'
import { runCommand } from '../support/shop-process.ts'
import { recordIn } from '../../infrastructure/serving-record.ts'
import { startAlone, startLoad, withProgram } from './load.ts'

/** The builds in EARLIER_BUILDS, else what tests/builds.sh makes of the last three tags. */
const earlier = (): string[] => {
  const given = process.env['EARLIER_BUILDS']
  if (given !== undefined) return given.split(' ')
  const all = execFileSync('git', ['tag', '--sort=-creatordate', '--list', 'v*'], {
    encoding: 'utf8',
  })
  const tags = all.split('\n').filter(Boolean).slice(0, 3)
  const folder = 'node_modules/.cache/daybook-builds'
  if (tags.length > 0) execFileSync('tests/builds.sh', [folder, ...tags], { stdio: 'inherit' })
  return tags.map((tag) => join(folder, tag))
}

const builds = earlier().map((build) => resolve(build))

test.skipIf(builds.length > 0)(
  'skipped: nothing is released, and EARLIER_BUILDS names no builds',
  () => {},
)

test.each(builds)(
  'an upgrade from %s is prepared, made and taken back under load, and no request fails',
  { timeout: 600_000 },
  async (build) => {
    const folder = newFolder()
    const DATA_DIR = join(folder, 'data')
    onTestFinished(async () => {
      await endProcess(pidServing(DATA_DIR))
      rmSync(folder, { recursive: true, force: true })
    })
    const { built, current, use } = makeReleases(folder, build)
    const service = await withProgram(current, () => startAlone(DATA_DIR))
    const load = startLoad(service.address)
    await load.more(200)
    const words = ['--json', 'upgrade', 'prepare', '--share', '0.5']
    const prepared = await withProgram(built.next, () => runCommand({ DATA_DIR }, ...words))
    // What this build shows otherwise is listed, and is no fault here.
    expect(JSON.parse(prepared.output).events).toBeGreaterThan(100)
    const knowsReload = existsSync(recordIn({ DATA_DIR }))
    let older = service
    for (const release of ['next', 'now'] as const) {
      use(release)
      if (knowsReload) {
        const reloaded = await withProgram(current, () => runCommand({ DATA_DIR }, 'reload'))
        expect([reloaded.code, reloaded.errors]).toEqual([0, ''])
      } else {
        // Builds before `daybook reload` stand behind a proxy, which goes over to the new one.
        const newer = await withProgram(current, () => startAlone(DATA_DIR))
        const ready = async () => (await fetch(`${newer.address}/health/ready`)).status
        await expect.poll(ready, { timeout: 60_000 }).toBe(200)
        load.goTo(newer.address)
        older.child.kill('SIGTERM')
        expect((await older.ended)[0]).toBe(0)
        older = newer
      }
      await load.more(200)
    }
    expect((await load.stop()).failures).toEqual([])
  },
)
