import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { CrsDetector } from './detect-crs.ts'

const record = { id: 1, workspace: 'default' } as ImportRecord
const envelope = { minX: 393_000, minY: 5_815_000, maxX: 394_000, maxY: 5_816_000 }
const open = {
  state: 'NO_CRS',
  layer: { name: 'town', srsCandidates: [] },
  source: { name: 'town', envelope, schema: { attributes: [], geometry: { name: 'geom', type: 'Polygon' } } },
} as unknown as TaskRecord

function openLocator(list: () => Promise<[]>): CrsDetector {
  const needs = { records: {}, kinds: {}, pool: {}, catalog: { layers: { list } }, onEnd: () => undefined }
  return new CrsDetector(needs as unknown as ConstructorParameters<typeof CrsDetector>[0])
}

describe('the CRSs that are proposed', () => {
  it('are none where the search fails, and the import goes on', async () => {
    const locator = openLocator(() => Promise.resolve([]))
    await locator.close()
    assert.deepEqual(await locator.propose(record, [open], new AbortController().signal), [open])
    const away = openLocator(() => Promise.reject(new Error('The database is away')))
    assert.deepEqual(await away.propose(record, [open, open], new AbortController().signal), [open, open])
    await away.close()
  })

  it('end with the import that they are for', async () => {
    const controller = new AbortController()
    const locator = openLocator(async () => {
      controller.abort(new Error('cancelled'))
      return []
    })
    await assert.rejects(locator.propose(record, [open], controller.signal), /cancelled/)
    await locator.close()
  })
})
