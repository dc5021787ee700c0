import { expect, test } from 'vitest'
import { auditParts } from '../../audit/verify/verify-log.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { openStoreToRead } from '../../infrastructure/stores.ts'
import { shopLog } from './shop-log.ts'

const { copied } = shopLog()

test('given a service that appends and signs beside an audit, then nothing is lost', async () => {
  const place = readSettings({ DATA_DIR: copied() })
  const store = await openStoreToRead(place)
  const end = (await store.head()) - 5
  const { problems, events } = await auditParts.log(store, place, end, {}, {})
  await store.close()
  expect({ problems, events }).toEqual({ problems: [], events: end })
})
